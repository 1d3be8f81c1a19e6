// The database stores a run, and the node gets no reply. A caller who repeats the start gets the run, which is done.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import { Agent, ComponentTool } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { always, ask, at, column, get, list, post, runWhole } from "../Wire.ts"
import * as Chatting from "./Chatting.ts"
import { accuracy, evaluate, saying, serving } from "./Evaluations.ts"
import { passing } from "./ScheduleTime.ts"

/** The first statement of each run is executed and its reply lost, except for the first runs. */
const losing = (kept = 0) => {
  const known = new Set<string>()
  const database = ({ runs, ...others }: Database): Database => ({
    ...others,
    runs: {
      ...runs,
      create: (newRun) =>
        Effect.suspend(() => {
          if (known.has(newRun.run_id)) return runs.create(newRun)
          known.add(newRun.run_id)
          return known.size <= kept
            ? runs.create(newRun)
            : Effect.andThen(runs.create(newRun), new StorageUnavailable({ cause: "no reply" }))
        })
    }
  })
  return { database, known }
}

/** The runs of all sessions. */
const statuses = Effect.fnUntraced(function*(server: TestServer.TestServer, agent: string) {
  const sessions = column(list((yield* get(server, "/sessions?type=agent")).json, "data"), "session_id")
  const found = yield* Effect.forEach(sessions, (id) => get(server, `/agents/${agent}/runs?session_id=${String(id)}`))
  return found.flatMap(({ json, status }) => status === 200 ? column(list(json), "status") : [])
})

/** Time passes until what is read is wanted. */
const waiting = Effect.fnUntraced(function*<A, E, R>(read: Effect.Effect<A, E, R>, isWanted: (found: A) => boolean) {
  for (;;) {
    const found = yield* read
    if (isWanted(found)) return found
    yield* TestClock.adjust("100 millis")
  }
})

describe("a run whose start gets no reply, and is repeated", () => {
  it.effect("the run of a request with an idempotency key is executed, and the repeated request gets it", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")], { database: losing().database })
      const send = ask(server, "/agents/assistant/runs", {
        method: "POST",
        headers: { "idempotency-key": "k" },
        body: new URLSearchParams({ message: "Hi", stream: "false" })
      })
      assert.strictEqual((yield* send).status, 503)
      const { json, text } = yield* passing(send)
      assert.strictEqual(at(json, "status"), "COMPLETED", text)
      assert.deepStrictEqual(yield* statuses(server, "assistant"), ["COMPLETED"])
    }))

  it.effect("the run of a background task is executed, and so is the one with its result", () =>
    Effect.gen(function*() {
      const { database, known } = losing(1)
      const analyst = Agent.make({ id: "analyst", model: (yield* Script.make([[Script.text("42")]])).model })
      const { model } = yield* Script.make([
        [Script.toolCall("analyst", { task: "Count" }, "call_1")],
        [Script.text("I am counting")],
        [Script.text("There are 42")]
      ])
      const tools = [ComponentTool.make({ component: analyst, name: "analyst", background: true })]
      const server = yield* serving([Agent.make({ id: "desk", model, tools }), analyst], { database })
      assert.strictEqual((yield* passing(runWhole(server, "desk", { message: "Count", session_id: "s" }))).status, 200)
      const runs = Effect.map(get(server, "/agents/desk/runs?session_id=s"), ({ json }) => list(json))
      const [, result] = yield* waiting(runs, (found) => column(found, "content").includes("There are 42"))
      assert.strictEqual(at(result, "status"), "COMPLETED")
      assert.strictEqual(known.size, 3)
    }))

  it.effect("a background task whose own reply is lost is started once, and the model reads that it has begun", () =>
    Effect.gen(function*() {
      let begun = 0
      const database = ({ backgroundTasks, ...others }: Database): Database => ({
        ...others,
        backgroundTasks: {
          ...backgroundTasks,
          begin: (...task) =>
            Effect.tap(
              backgroundTasks.begin(...task),
              () => ++begun === 1 ? new StorageUnavailable({ cause: "no reply" }) : Effect.void
            )
        }
      })
      const analyst = Agent.make({ id: "analyst", model: (yield* Script.make([[Script.text("42")]])).model })
      const { model } = yield* Script.make([
        [Script.toolCall("analyst", { task: "Count" }, "call_1")],
        [Script.text("I am counting")],
        [Script.text("There are 42")]
      ])
      const tools = [ComponentTool.make({ component: analyst, name: "analyst", background: true })]
      const server = yield* serving([Agent.make({ id: "desk", model, tools }), analyst], { database })
      const first = yield* passing(runWhole(server, "desk", { message: "Count", session_id: "s" }))
      assert.notInclude(first.text, "could not be started")
      const runs = Effect.map(get(server, "/agents/desk/runs?session_id=s"), ({ json }) => list(json))
      yield* waiting(runs, (found) => column(found, "content").includes("There are 42"))
      const tasks = yield* get(server, "/sessions/s/tasks?type=agent")
      assert.strictEqual(begun, 2, tasks.text)
    }))

  it.effect("the run of a triggered schedule is executed, and the trigger gets its response", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")], { database: losing().database })
      const { json } = yield* post(server, "/schedules", {
        name: "Daily report",
        cron_expr: "0 0 1 1 *",
        endpoint: "/agents/assistant/runs",
        payload: { message: "Report" }
      })
      const triggered = yield* passing(post(server, `/schedules/${String(at(json, "id"))}/trigger`, {}))
      assert.strictEqual(at(triggered.json, "status"), "success", triggered.text)
      assert.deepStrictEqual(yield* statuses(server, "assistant"), ["COMPLETED"])
    }))

  it.effect("the run of an evaluation is executed, and the evaluation has a result", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")], { database: losing().database })
      const evaluated = yield* passing(evaluate(server, accuracy))
      assert.strictEqual(at(evaluated.json, "status"), "COMPLETED", evaluated.text)
      assert.notInclude(evaluated.text, "cancelled")
    }))

  it.effect("the run of an experiment is executed, and its item has an output", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")], { database: losing().database })
      const items = [{ id: "france", input: "The capital of France?", expected_output: "Paris" }]
      const dataset = yield* post(server, "/datasets", { name: "capitals", items })
      const { json } = yield* post(server, "/experiments", {
        dataset_id: at(dataset.json, "id"),
        agent_id: "assistant",
        scorers: [{ type: "exact" }]
      })
      const read = get(server, `/experiments/${String(at(json, "id"))}`)
      const ended = yield* waiting(read, ({ json }) => at(json, "status") === "COMPLETED")
      assert.deepInclude(at(ended.json, "summary") as object, { passed: 1, errors: 0 }, ended.text)
    }))

  it.effect("the run of a message in a channel is executed, and its answer is written there", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello Ann!"))
      const agents = [Agent.make({ id: "desk", model })]
      const { platform, says, send } = yield* Chatting.chatting({ agents, database: losing().database })
      yield* send({ id: "E1", text: "Hi" })
      yield* says("Hello Ann!")
      assert.deepStrictEqual(platform.texts(), ["Hello Ann!"])
    }))
})
