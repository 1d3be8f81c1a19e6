// Runs whose execution ends in a way that is neither stored nor handed over.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import type { NewRun } from "../../src/run/store/RunWrites.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { open, scripted, session } from "./Engine.ts"

type Store = RunStore["Service"]

const rejected = Effect.fail(new StorageUnavailable({ cause: "54000", isRejected: true }))
const defect = Effect.die(new Error("a value that cannot be encoded"))

const anyone = { owner: Owner.anyone }
const answers = (times: number, words: string) => Array.from({ length: times }, () => [text(words)])

const until = (isSo: Effect.Effect<boolean>) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), isSo), { until: (so) => so, times: 300 })

const has = (find: Effect.Success<ReturnType<typeof open>>["find"], status: string, id?: string) =>
  Effect.match(find(id), { onFailure: () => false, onSuccess: (output) => output.status === status })

const waitFor = Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect)
  yield* until(Effect.sync(() => fiber.pollUnsafe() !== undefined))
  return yield* Fiber.join(fiber)
})

describe("a run whose end is not stored", () => {
  for (const [name, fault] of Object.entries({ "rejects it": rejected, "fails with a defect": defect })) {
    it.effect(`a run resumes from its last step after a store that ${name} for a while`, () =>
      Effect.gen(function*() {
        let isBroken = true
        const { agent, command } = yield* scripted(answers(9, "Hello"))
        const { engine, find } = yield* open({
          agents: [agent],
          around: (store): Store => ({ ...store, finish: (ending) => isBroken ? fault : store.finish(ending) })
        })
        const handle = yield* engine.start(command())
        const error = yield* Effect.flip(waitFor(handle.output))
        assert.deepInclude(error, { _tag: "RunHandedOver", reason: "again" })
        assert.include(error.message, "'run'")
        isBroken = false
        yield* until(has(find, "COMPLETED"))
        assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Hello" })
      }))

    it.effect(`a run ends as ERROR without what cannot be stored when a store ${name} every time`, () =>
      Effect.gen(function*() {
        const { agent, command } = yield* scripted([...answers(9, "poison")], { addHistoryToContext: true })
        const { engine, find } = yield* open({
          agents: [agent],
          around: (store): Store => ({
            ...store,
            finish: (ending) => JSON.stringify(ending).includes("poison") ? fault : store.finish(ending)
          })
        })
        yield* engine.start(command())
        yield* until(has(find, "ERROR"))
        const { content, status } = yield* find()
        assert.strictEqual(status, "ERROR")
        assert.include(String(content), "could not be stored")
      }))
  }

  it.effect("a run whose end is not stored does not block its session: the next run is dequeued", () =>
    Effect.gen(function*() {
      const { agent, command } = yield* scripted([...answers(4, "poison"), [text("Second")]], {
        addHistoryToContext: true
      })
      const { engine, find } = yield* open({
        agents: [agent],
        around: (store): Store => ({
          ...store,
          finish: (ending) => JSON.stringify(ending).includes("poison") ? rejected : store.finish(ending)
        })
      })
      yield* engine.start(command())
      yield* engine.start(command({ run_id: Run.Id.make("second") }))
      yield* until(has(find, "COMPLETED", "second"))
      assert.deepInclude(yield* find("second"), { status: "COMPLETED", content: "Second" })
    }))
})

describe("a step that is not stored", () => {
  it.effect("a run resumes from the step before the one that is not stored, and its tool is requested again", () =>
    Effect.gen(function*() {
      let failing = 1
      const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const { agent, command } = yield* scripted([[toolCall("look")], [toolCall("look")], [text("Done")]], {
        tools: [look]
      })
      const { engine, find } = yield* open({
        agents: [agent],
        around: (store): Store => ({ ...store, record: (step) => failing-- > 0 ? defect : store.record(step) })
      })
      yield* engine.start(command())
      yield* until(has(find, "COMPLETED"))
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Done" })
    }))
})

describe("a run that is stored as a node's own and that it does not execute", () => {
  it.effect("a run that is stored as a node's own and that it does not execute is cancelled on request", () =>
    Effect.gen(function*() {
      const created: Array<NewRun> = []
      const noting = (store: Store): Store => ({
        ...store,
        create: (run) => Effect.andThen(Effect.sync(() => void created.push(run)), store.create(run))
      })
      const { agent, command } = yield* scripted([[Script.text("done")], [Script.hang]])
      const { engine, find, runs } = yield* open({ around: noting, agents: [agent] })
      const first = yield* engine.start(command({ run_id: Run.Id.make("first") }))
      yield* first.output
      const [known] = created
      if (known === undefined) return assert.fail("The first run was not created")
      // stored by a statement that this node knows nothing of
      const run_id = Run.Id.make("run")
      yield* runs.create({ ...known, run_id })
      yield* engine.cancel({ run_id: Run.Id.make("run"), session_id: session, filter: anyone })
      yield* until(has(find, "CANCELLED"))
      assert.strictEqual((yield* find()).status, "CANCELLED")
    }))
})
