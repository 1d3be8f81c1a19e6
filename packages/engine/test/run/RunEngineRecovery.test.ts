// What is left of a run when its process has stopped, and how the next one resumes it: from the last finished step, and
// without doing anything twice that must be done once.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Agent from "@svc-runtime/features/Agent"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall, usage } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { linesOf } from "../../../agents/test/agent/Harness.ts"
import * as RunAdmission from "../../src/run/engine/RunAdmission.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { kindsOf, open, scripted, session } from "./Engine.ts"
import { cutOff, restarted, start, watched } from "./Restarts.ts"

describe("a run whose service has stopped", () => {
  it.effect("a run resumes from its last finished step, and its events continue without a gap", () =>
    Effect.gen(function*() {
      const hang = yield* Deferred.make<void>()
      const calls: Array<string> = []
      const look = Tool.make({ name: "look", effects: "read", execute: () => (calls.push("look"), "seen") })
      const { agent, before, script } = yield* start({ tools: [look] }, [
        [toolCall("look"), usage({ input: 5, output: 1 })],
        [text("Hal"), Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
        [text("Hello"), usage({ input: 7, output: 2 })]
      ])
      yield* Deferred.await(hang)
      const { count, engine, find } = yield* restarted(before, agent)
      assert.strictEqual(count, 1)
      const events = yield* watched(engine)
      const output = yield* find()
      assert.deepInclude(output, { status: "COMPLETED", content: "Hello" })
      assert.deepStrictEqual(calls, ["look"], "a call that has answered is not made again")
      assert.deepStrictEqual(output.messages?.map(({ role }) => role), ["user", "assistant", "tool", "assistant"])
      assert.deepInclude(output.metrics, { input_tokens: 12, output_tokens: 3 })
      assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
      const kinds = kindsOf(events)
      assert.strictEqual(kinds.filter((kind) => kind === "RunStarted").length, 1)
      assert.strictEqual(kinds.filter((kind) => kind === "ToolCallCompleted").length, 1)
      assert.deepStrictEqual(kinds.slice(kinds.indexOf("RunContinued")), [
        "RunContinued",
        "ModelRequestStarted",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted"
      ])
      const [, second, third] = yield* script.calls
      assert.deepStrictEqual(linesOf(third), linesOf(second), "the model gets the same messages as before")
    }))

  it.effect("a run that its service has lost counts all of its tokens at its end, also those of before", () =>
    Effect.gen(function*() {
      const instruments = Instruments.make([{ kind: "agent", id: "agent" }])
      const hang = yield* Deferred.make<void>()
      const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const { agent, before } = yield* start({ tools: [look] }, [
        [toolCall("look"), usage({ input: 5 })],
        [Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
        [text("Hello"), usage({ input: 7 })]
      ])
      yield* Deferred.await(hang)
      const { engine, find } = yield* Effect.provideService(
        restarted(before, agent),
        Instruments.Instruments,
        instruments
      )
      yield* watched(engine)
      assert.deepInclude((yield* find()).metrics, { input_tokens: 12 })
      const labels = "kind=\"agent\",component=\"agent\",type=\"input\",evaluation=\"false\""
      assert.include(instruments.format(), `svc_tokens_total{${labels}} 12\n`)
    }))

  it.effect("a recovered run counts among the bytes that a node executes, so that a new run is refused", () =>
    Effect.gen(function*() {
      const [hang, again] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const before = yield* open({ drainTimeout: 0 })
      const { agent, command } = yield* scripted([
        [Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
        [Script.wait(Deferred.succeed(again, undefined)), Script.hang]
      ])
      yield* before.engine.start(command({ input: { input_content: "x".repeat(1000) } }))
      yield* Deferred.await(hang)
      yield* before.close
      const admission = RunAdmission.make({ inputBytes: 1500 })
      const after = yield* open({ memory: before.memory, agents: [agent], admission, drainTimeout: 0 })
      yield* after.engine.recover
      yield* Deferred.await(again)
      const other = command({
        run_id: Run.Id.make("other"),
        session_id: Session.Id.make("other"),
        input: { input_content: "y".repeat(1000) }
      })
      assert.strictEqual((yield* Effect.flip(after.engine.start(other)))._tag, "TooManyRuns")
    }))

  it.effect("Recovered runs wait for room in the order of their acceptance, and new runs are executed meanwhile.", () =>
    Effect.gen(function*() {
      const ids = ["a", "b", "c", "d"]
      const gate = yield* Deferred.make<void>()
      const { agent, command, script } = yield* scripted([
        ...ids.map(() => [Script.hang]),
        [Script.wait(gate), text("Recovered")],
        [Script.wait(gate), text("Recovered")],
        [text("New")],
        [text("Recovered")],
        [text("Recovered")]
      ])
      const of = (id: string) => command({ run_id: Run.Id.make(id), session_id: Session.Id.make(id) })
      const contentOf = (id: string) => Effect.map(after.find(id, Session.Id.make(id)), ({ content }) => content)
      const untilCalled = (times: number) =>
        Effect.repeat(Effect.andThen(TestClock.adjust("100 millis"), script.calls), {
          until: (calls) => calls.length >= times,
          times: 100
        })
      const before = yield* open({ drainTimeout: 0 })
      for (const id of ids) yield* before.engine.start(of(id))
      yield* untilCalled(4)
      yield* before.close
      const admission = RunAdmission.make({ runs: 40 })
      const after = yield* open({ memory: before.memory, agents: [agent], admission, drainTimeout: 0 })
      const recovering = yield* Effect.forkChild(after.engine.recover)
      yield* untilCalled(6)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* script.calls).length, 6)
      yield* (yield* after.engine.start(of("new"))).output
      assert.strictEqual(yield* contentOf("new"), "New")
      yield* Deferred.succeed(gate, undefined)
      yield* untilCalled(9)
      yield* Fiber.join(recovering)
      const contents = Effect.forEach(ids, contentOf)
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("100 millis"), contents), {
        until: (found) => found.every((content) => content === "Recovered"),
        times: 100
      })
      assert.deepStrictEqual(yield* contents, ids.map(() => "Recovered"))
    }))

  it.effect("a run that had not finished a step starts again", () =>
    Effect.gen(function*() {
      const hang = yield* Deferred.make<void>()
      const { agent, before } = yield* start({ description: "You greet." }, [
        [Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
        [text("Hello")]
      ])
      yield* Deferred.await(hang)
      const { engine, find } = yield* restarted(before, agent)
      yield* watched(engine)
      const output = yield* find()
      assert.deepInclude(output, { status: "COMPLETED", content: "Hello" })
      assert.deepStrictEqual(output.messages?.map(({ role }) => role), ["system", "user", "assistant"])
    }))

  for (const effects of ["read", "idempotent"] as const) {
    it.effect(`an interrupted call is repeated under the same id, when its tool is '${effects}'`, () =>
      Effect.gen(function*() {
        const { begun, ids, tool } = yield* cutOff(effects)
        const { agent, before } = yield* start({ tools: [tool] }, [[toolCall("act")], [text("Done")]])
        yield* begun
        const { engine, find } = yield* restarted(before, agent)
        yield* watched(engine)
        assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Done" })
        assert.deepStrictEqual(ids, ["run.0.0", "run.0.0"])
      }))
  }

  for (const effects of ["once", undefined] as const) {
    it.effect(`an interrupted call is not repeated, and waits for a person, when its tool is '${effects}'`, () =>
      Effect.gen(function*() {
        const { begun, ids, tool } = yield* cutOff(effects)
        const { agent, before } = yield* start({ tools: [tool] }, [[toolCall("act")], [text("Done")]])
        yield* begun
        const { engine, find } = yield* restarted(before, agent)
        const events = yield* watched(engine)
        const output = yield* find()
        assert.strictEqual(output.status, "PAUSED")
        assert.strictEqual(ids.length, 1)
        assert.deepInclude(output.tools?.[0], {
          tool_name: "act",
          result: null,
          external_execution_required: true,
          outcome_unknown: true
        })
        assert.strictEqual(output.requirements?.length, 1)
        assert.strictEqual(events.at(-1)?.event, "RunPaused")
      }))
  }

  it.effect("an interrupted call fails instead, when the agent is configured so", () =>
    Effect.gen(function*() {
      const { begun, ids, tool } = yield* cutOff("once")
      const { agent, before } = yield* start({ tools: [tool], onUnknownOutcome: "fail" }, [[toolCall("act")]])
      yield* begun
      const { engine, find } = yield* restarted(before, agent)
      yield* watched(engine)
      const output = yield* find()
      assert.strictEqual(output.status, "ERROR")
      assert.match(String(output.content), /stopped while it called act: it is not known/)
      assert.strictEqual(ids.length, 1)
    }))

  it.effect("the results of calls beside the interrupted one are kept, with their changes of the session state", () =>
    Effect.gen(function*() {
      const { begun, tool } = yield* cutOff("idempotent")
      const noted = yield* Deferred.make<void>()
      const calls: Array<string> = []
      const note = Tool.make({
        name: "note",
        execute: (_, { sessionState }) => {
          calls.push("note")
          sessionState["noted"] = true
          return "noted"
        }
      })
      const before = yield* open({
        drainTimeout: 0,
        around: (store) => ({
          ...store,
          record: (recorded) =>
            Effect.tap(
              store.record(recorded),
              () => recorded.entry["kind"] === "answered" ? Deferred.succeed(noted, undefined) : Effect.void
            )
        })
      })
      const { agent, command, script } = yield* scripted([[toolCall("act"), toolCall("note")], [text("Done")]], {
        tools: [tool, note]
      })
      yield* before.engine.start(command())
      yield* begun
      yield* Deferred.await(noted)
      const { engine, find } = yield* restarted(before, agent)
      yield* watched(engine)
      const output = yield* find()
      assert.deepStrictEqual(calls, ["note"])
      assert.deepStrictEqual(output.session_state, { noted: true })
      assert.deepStrictEqual(linesOf((yield* script.calls)[1]).slice(-2), ["tool: result done 2", "tool: result noted"])
    }))

  it.effect("a run without a waiting caller resumes as well", () =>
    Effect.gen(function*() {
      const hang = yield* Deferred.make<void>()
      const before = yield* open({ drainTimeout: 0 })
      const { agent, command } = yield* scripted([
        [Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
        [text("Hello")]
      ])
      const silent = command({ stream: false, user_id: Ids.UserId.make("ada"), dependencies: { tenant: "blue" } })
      yield* before.engine.start(silent)
      yield* Deferred.await(hang)
      const { engine, find } = yield* restarted(before, agent)
      const request = { run_id: silent.run_id, session_id: session, filter: { owner: Owner.anyone } }
      const output = Option.getOrThrow(yield* engine.output(request))
      assert.deepInclude(output, { status: "COMPLETED", content: "Hello" })
      assert.strictEqual(output.user_id, silent.user_id)
      assert.deepStrictEqual((yield* find()).events, [])
    }))

  it.effect("a run waits for a node that has its agent, then fails and says so to its watchers", () =>
    Effect.gen(function*() {
      const hang = yield* Deferred.make<void>()
      const { before } = yield* start({}, [[Script.wait(Deferred.succeed(hang, undefined)), Script.hang]])
      yield* Deferred.await(hang)
      const { engine, find } = yield* restarted(before, Agent.make({ id: "other" }))
      assert.strictEqual((yield* find()).status, "RUNNING")
      yield* TestClock.adjust("11 minutes")
      const output = yield* find()
      assert.strictEqual(output.status, "ERROR")
      assert.include(String(output.content), "No node that is alive has the agent 'agent'")
      assert.include(String(output.content), "It waited 600 s for one, as UNSERVED_TIMEOUT allows")
      assert.strictEqual((yield* watched(engine)).at(-1)?.event, "RunError")
    }))

  it.effect("a run is cancelled when that was requested in the meantime", () =>
    Effect.gen(function*() {
      const hang = yield* Deferred.make<void>()
      const { agent, before, script } = yield* start({}, [
        [Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
        [text("Never")]
      ])
      yield* Deferred.await(hang)
      yield* before.close
      yield* before.runs.requestCancel("run" as never, session, { owner: Owner.anyone })
      const { engine, find } = yield* restarted(before, agent)
      yield* watched(engine)
      assert.strictEqual((yield* find()).status, "CANCELLED")
      assert.strictEqual(yield* script.remaining, 1)
    }))
})
