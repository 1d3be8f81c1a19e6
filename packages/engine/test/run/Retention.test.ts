// What retention does to runs that were paused for longer than their journals are kept.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Retention from "../../src/run/engine/Retention.ts"
import { RunEngine } from "../../src/run/engine/RunEngine.ts"
import { type PausedRun, RetentionStore } from "../../src/run/store/RetentionStore.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { eventsOf, open, scripted, session } from "./Engine.ts"

const ages = { journals: Duration.days(90) }
const ofFeature = [
  { name: "traces", age: undefined, removed: "trace(s) removed" },
  { name: "traceRemovals", age: Duration.minutes(10), removed: "removal(s) completed" }
]
const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })

/** A store that finds these paused runs, and notes what is asked of it. */
const finding = (found: ReadonlyArray<PausedRun>, calls: Array<string>) =>
  RetentionStore.of({
    paused: (seconds, after) =>
      Effect.sync(() => {
        calls.push(`paused for ${seconds} s`)
        return found.filter(({ run_id }) => run_id > (after ?? "")).slice(0, 1)
      }),
    prune: (task) =>
      Effect.sync(() => {
        calls.push(task)
        return 0
      })
  })

describe("a run that was paused for longer than JOURNAL_RETENTION", () => {
  it.effect("a paused run is cancelled with its last event and its approval before its journal is removed", () =>
    Effect.gen(function*() {
      const { approvals, engine, find, runs } = yield* open()
      const { command } = yield* scripted([[toolCall("pay", {}, "call")]], { tools: [pay] })
      const handle = yield* engine.start(command())
      const events = yield* eventsOf(handle)
      assert.strictEqual(events.at(-1)?.event, "RunPaused")
      const run_id = Run.Id.make("run")
      const calls: Array<string> = []
      // one that is gone by now comes first
      const store = finding(
        [{ run_id: Run.Id.make("gone"), session_id: session }, { run_id, session_id: session }],
        calls
      )
      const retention = yield* Retention.kind({ ages, tasks: ofFeature }).pipe(
        Effect.provideService(RetentionStore, store),
        Effect.provideService(RunEngine, engine)
      )
      const round = yield* Effect.forkChild(retention.execute(null, {} as never), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(round)
      const stored = yield* find()
      assert.deepInclude(stored, { status: "CANCELLED", content: "Run run was cancelled" })
      const read = yield* runs.readEvents(session, run_id, { owner: Owner.anyone }, {
        after: events.length - 1,
        limit: 9
      })
      assert.deepStrictEqual(Option.getOrThrow(read).events.map(({ event }) => event), ["RunCancelled"])
      assert.deepStrictEqual((yield* approvals.listByRun(run_id, 5)).map(({ status }) => status), ["cancelled"])
      // without an age: removals of traces are completed although traces are kept for ever
      assert.include(calls, "traceRemovals")
      assert.notInclude(calls, "traces")
      const age = "paused for 7776000 s"
      assert.deepStrictEqual(calls.filter((each) => each === age || each === "journals"), [age, age, age, "journals"])
    }))
})
