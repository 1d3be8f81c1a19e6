// Runs of workflows as bytes of the wire: started, watched, listed, cancelled.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Agent from "@svc-runtime/features/Agent"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Latch, Schema } from "effect"
import {
  ask,
  at,
  badRequest,
  column,
  failed,
  frames,
  get,
  hasKeys,
  invalid,
  kindsOf,
  list,
  notFound,
  second,
  serve,
  uuid
} from "../Wire.ts"
import { plain } from "./Fixtures.ts"
import { askingFlow, plainFlow, post, start } from "./Flows.ts"

Tier.oneIn(12)

const fits = (schema: Schema.ConstraintDecoder<unknown>, json: unknown) => {
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error", errors: "all" })(json)
  assert.strictEqual(decoded._tag, "Success", decoded._tag === "Failure" ? String(decoded.failure) : "")
}

const failing = Workflow.make({
  id: "failing",
  steps: [Step.make({ name: "bad", onError: "fail", run: () => Promise.reject(new Error("no luck")) })]
})

/** Open once the second step executes. */
const hangs = Latch.makeUnsafe()

const hanging = Workflow.make({
  id: "hanging",
  steps: [plainFlow.steps[0]!, Step.make({ name: "hang", run: () => Effect.andThen(hangs.open, Effect.never) })]
})

const served = Effect.gen(function*() {
  const { agent } = yield* plain
  const asking = Workflow.make({ id: "talking", steps: [Step.make({ name: "talk", agent })] })
  return yield* serve({ agents: [agent], workflows: [plainFlow, askingFlow, failing, hanging, asking] })
})

describe("a run that is waited for", () => {
  it.effect("a session of a workflow's run has the name of the workflow", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json } = yield* start(server, "plain")
      const name = at(json, "workflow_name")
      assert.isString(name)
      const path = `/sessions/${at(json, "session_id")}`
      assert.strictEqual(at((yield* get(server, path)).json, "workflow_name"), name)
    }))

  it.effect("a whole run answers with its output, and has a session of its own kind", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json, status } = yield* start(server, "plain")
      assert.strictEqual(status, 200)
      hasKeys(
        json,
        "run_id",
        "workflow_id",
        "workflow_name",
        "session_id",
        "input",
        "content",
        "content_type",
        "created_at",
        "status",
        "images",
        "videos",
        "audio",
        "files",
        "step_results",
        "metrics"
      )
      fits(WorkflowRun.Output, json)
      assert.deepStrictEqual(
        [at(json, "status"), at(json, "content"), at(json, "created_at"), at(json, "input")],
        ["COMPLETED", "after did go", second, "go"]
      )
      for (const step of list(json, "step_results")) assert.match(String(at(step, "step_id")), /^[0-9a-f]{8}-/)
      const session = (yield* get(server, "/sessions/s?type=workflow")).json
      assert.deepStrictEqual(
        [at(session, "workflow_id"), at(session, "session_name"), at(session, "workflow_data", "name")],
        ["plain", "go", "Plain"]
      )
    }))

  it.effect("a whole run has the output and the usage of its agents", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json } = yield* start(server, "talking")
      assert.strictEqual(at(json, "content"), "Hello.")
      const [run] = list(json, "step_executor_runs")
      assert.deepStrictEqual([at(run, "agent_id"), at(run, "parent_run_id"), at(run, "status")], [
        "plain",
        "r",
        "COMPLETED"
      ])
      assert.match(String(at(run, "run_id")), uuid)
      assert.strictEqual(at(json, "metrics", "steps", "talk", "metrics", "total_tokens"), 15)
      const session = (yield* get(server, "/sessions/s?type=workflow")).json
      assert.strictEqual(at(session, "session_data", "session_metrics", "total_tokens"), 15)
    }))

  it.effect("a failed run responds with 200 and its error, and is stored", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json, status } = yield* start(server, "failing")
      assert.deepStrictEqual([status, at(json, "status"), at(json, "content")], [200, "ERROR", "no luck"])
      const stored = yield* get(server, "/workflows/failing/runs/r?session_id=s")
      assert.strictEqual(at(stored.json, "status"), "ERROR")
    }))
})

describe("a streamed run", () => {
  it.effect("a streamed run shows every event, each of which fits its schema, with an index and an id", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { text } = yield* start(server, "talking", { stream: "true" })
      const all = frames(text)
      assert.deepStrictEqual(kindsOf(all), [
        "WorkflowStarted",
        "StepStarted",
        "RunStarted",
        "ModelRequestStarted",
        "RunContent",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted",
        "StepCompleted",
        "WorkflowCompleted"
      ])
      for (const [index, { data, id }] of all.entries()) {
        assert.deepStrictEqual([id, data["event_index"]], [index, index])
        fits(RunEvent.RunEvent, data)
      }
      const agent = all[2]!.data
      assert.deepStrictEqual(
        [agent["workflow_id"], agent["workflow_run_id"], agent["step_name"], agent["step_index"], agent["agent_id"]],
        ["talking", "r", "talk", 0, "plain"]
      )
      assert.isFalse("workflow_name" in agent)
      assert.notStrictEqual(agent["run_id"], "r")
    }))

  it.effect("a failed run ends with one WorkflowError", () =>
    Effect.gen(function*() {
      const { text } = yield* start(yield* served, "failing", { stream: "true" })
      const all = frames(text)
      assert.deepStrictEqual(kindsOf(all), ["WorkflowStarted", "StepStarted", "WorkflowError"])
      assert.deepStrictEqual([all[2]!.data["error"], all[2]!.data["error_type"]], ["no luck", "Error"])
    }))

  it.effect("a run without intermediate events shows only the important ones", () =>
    Effect.gen(function*() {
      const { text } = yield* start(yield* served, "plain", { stream: "true", stream_events: "false" })
      assert.deepStrictEqual(kindsOf(frames(text)), ["StepOutput", "StepOutput", "WorkflowCompleted"])
    }))

  it.effect("a run can be watched again, from any event on", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { text } = yield* start(server, "plain", { stream: "true" })
      const events = yield* get(server, "/workflows/plain/runs/r/events?session_id=s&last_event_index=3")
      assert.strictEqual(events.text, text.slice(text.indexOf("event: StepStarted\nid: 4")))
      const resumed = yield* post(server, "/workflows/plain/runs/r/resume", { session_id: "s", last_event_index: "6" })
      assert.match(resumed.text, /^event: replay\ndata: [^\n]+\n\nevent: WorkflowCompleted\nid: 7\n/)
    }))
})

describe("a run in the background", () => {
  it.effect("a background run is accepted at once, and ends", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json, status } = yield* start(server, "plain", { background: "true" })
      assert.strictEqual(status, 202)
      assert.deepStrictEqual<unknown>(json, { run_id: "r", session_id: "s", status: "PENDING" })
      yield* get(server, "/workflows/plain/runs/r/events?session_id=s")
      const run = yield* get(server, "/workflows/plain/runs/r?session_id=s")
      assert.strictEqual(at(run.json, "status"), "COMPLETED")
    }))

  it.effect("a background run that is cancelled ends with its finished and its executing steps", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* start(server, "hanging", { background: "true" })
      yield* hangs.await
      const cancelled = yield* ask(server, "/workflows/hanging/runs/r/cancel", { method: "POST" })
      assert.deepStrictEqual<unknown>([cancelled.status, cancelled.json], [200, {}])
      const events = frames((yield* get(server, "/workflows/hanging/runs/r/events?session_id=s")).text)
      assert.strictEqual(events.at(-1)?.kind, "WorkflowCancelled")
      const { json } = yield* get(server, "/workflows/hanging/runs/r?session_id=s")
      assert.deepStrictEqual([at(json, "status"), at(json, "content")], ["CANCELLED", "Run r was cancelled"])
      assert.deepStrictEqual(column(at(json, "step_results"), "success"), [true, false])
      assert.strictEqual(at(json, "step_results", 1, "error"), "Cancelled during execution")
    }))
})

describe("the runs of a session", () => {
  it.effect("the runs of a session are listed with every key, nulls kept", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* start(server, "plain")
      yield* start(server, "plain", { run_id: "r2", message: "again" })
      const { json } = yield* get(server, "/workflows/plain/runs?session_id=s")
      assert.deepStrictEqual(column(json, "run_id"), ["r", "r2"])
      for (const run of list(json)) fits(WorkflowRun.Record, run)
      // the list of the session has their places, and a run without runs inside has no total
      const absent = ["previous_run_id", "is_on_path", "total_metrics"]
      hasKeys(at(json, 0), ...Object.keys(WorkflowRun.Record.fields).filter((key) => !absent.includes(key)))
      const none = yield* get(server, "/workflows/plain/runs?session_id=s&status=ERROR")
      assert.deepStrictEqual<unknown>(none.json, [])
      const session = yield* get(server, "/sessions/s/runs?type=workflow")
      assert.deepStrictEqual(column(session.json, "workflow_id"), ["plain", "plain"])
      const single = yield* get(server, "/sessions/s/runs/r?type=workflow")
      fits(WorkflowRun.Record, single.json)
    }))

  it.effect("the runs of a component in a session are listed in pages, the newest on the first page", () =>
    Effect.gen(function*() {
      const server = yield* served
      for (const run_id of ["r1", "r2", "r3"]) yield* start(server, "plain", { run_id })
      const ids = (query: string) =>
        Effect.map(get(server, `/workflows/plain/runs?session_id=s${query}`), ({ json }) => column(json, "run_id"))
      assert.deepStrictEqual(yield* ids("&limit=2"), ["r2", "r3"])
      assert.deepStrictEqual(yield* ids("&limit=2&page=2"), ["r1"])
      assert.deepStrictEqual(yield* ids("&limit=2&page=3"), [])
      assert.deepStrictEqual(yield* ids("&limit=2&status=COMPLETED"), ["r2", "r3"])
      assert.deepStrictEqual(yield* ids(""), ["r1", "r2", "r3"])
      for (const wrong of ["limit=0", "limit=x", "page=-1"]) {
        const answer = yield* get(server, `/workflows/plain/runs?session_id=s&${wrong}`)
        assert.strictEqual(answer.status, 422, wrong)
      }
    }))

  it.effect("a page of runs with more than RESPONSE_MAX_BYTES is refused", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [plainFlow], storeLimits: { response: 1000 } })
      yield* start(server, "plain")
      assert.strictEqual((yield* get(server, "/workflows/plain/runs")).status, 200)
      yield* start(server, "plain", { run_id: "other", message: "x".repeat(1000) })
      badRequest(yield* get(server, "/workflows/plain/runs"), /RESPONSE_MAX_BYTES is 1000/)
    }))

  it.effect("without a session the runs of all sessions are listed in pages, the newest on the first page", () =>
    Effect.gen(function*() {
      const server = yield* served
      for (const run_id of ["r1", "r2", "r3"]) yield* start(server, "plain", { run_id, session_id: `s-${run_id}` })
      yield* start(server, "failing", { run_id: "other", session_id: "s-other" })
      const ids = (query: string) =>
        Effect.map(get(server, `/workflows/plain/runs?${query}`), ({ json }) => column(json, "run_id"))
      assert.deepStrictEqual(yield* ids(""), ["r1", "r2", "r3"])
      assert.deepStrictEqual(yield* ids("limit=2"), ["r2", "r3"])
      assert.deepStrictEqual(yield* ids("limit=2&page=2"), ["r1"])
      assert.deepStrictEqual(yield* ids("limit=2&page=3"), [])
      assert.deepStrictEqual(yield* ids("status=COMPLETED&limit=1"), ["r3"])
      assert.deepStrictEqual(yield* ids("status=ERROR"), [])
      assert.deepStrictEqual(yield* ids("status=strange"), [])
      const { json } = yield* get(server, "/workflows/plain/runs")
      for (const run of list(json)) fits(WorkflowRun.Record, run)
      invalid(yield* get(server, "/workflows/plain/runs?limit=101"), [["query", "limit"], "value_error"])
      notFound(yield* get(server, "/workflows/none/runs"), "Workflow not found")
    }))

  it.effect("a run is not found under another workflow, an agent, or in another session", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* start(server, "plain")
      notFound(yield* get(server, "/workflows/failing/runs/r?session_id=s"), "Run not found")
      notFound(yield* get(server, "/agents/plain/runs/r?session_id=s"), "Run not found")
      notFound(yield* get(server, "/workflows/plain/runs/r?session_id=other"), "Run not found")
      notFound(yield* get(server, "/workflows/plain/runs?session_id=other"), "Session not found")
      notFound(yield* get(server, "/workflows/none/runs?session_id=s"), "Workflow not found")
      notFound(yield* start(server, "failing", { run_id: "r3" }), "Session with id 's' not found")
    }))
})

describe("what is wrong with a request", () => {
  it.effect("an invalid request is refused before anything runs", () =>
    Effect.gen(function*() {
      const server = yield* served
      invalid(yield* post(server, "/workflows/plain/runs", { session_id: "s" }), [["body", "message"], "missing"])
      notFound(yield* start(server, "none"), "Workflow not found")
      invalid(yield* start(server, "plain", { stream: "perhaps" }), [["body", "stream"], "bool_parsing"])
      notFound(yield* get(server, "/workflows/plain/runs/r"), "Run not found")
      notFound(yield* get(server, "/workflows/plain/runs?session_id=s"), "Session not found")
    }))

  it.effect("a used run id is refused", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* start(server, "plain")
      failed(yield* start(server, "plain"), 409, "CONFLICT", /^Run with id 'r' already exists/)
    }))

  it.effect("an input that does not fit the workflow's schema is refused", () =>
    Effect.gen(function*() {
      const typed = Workflow.make({
        id: "typed",
        inputSchema: Schema.Struct({ topic: Schema.String }),
        steps: [({ input }: { input: { topic: string } }) => input.topic]
      })
      const server = yield* serve({ workflows: [typed] })
      invalid(yield* start(server, "typed", { message: "tea" }), [["body", "message"], "json_invalid"])
      invalid(yield* start(server, "typed", { message: "{}" }), [["body", "message", "topic"], "value_error"])
      const { json } = yield* start(server, "typed", { message: `{"topic":"tea"}` })
      assert.deepStrictEqual([at(json, "content"), at(json, "input")], ["tea", { topic: "tea" }])
    }))
})

describe("branches", () => {
  it.effect("branches stream at the same time, each of them in its own order", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const other = Agent.make({ id: "other", model: agent.model })
      const both = Workflow.make({
        id: "both",
        steps: [
          Parallel.make({
            name: "both",
            steps: [Step.make({ name: "a", agent }), Step.make({ name: "b", agent: other })]
          })
        ]
      })
      const server = yield* serve({ agents: [agent, other], workflows: [both] })
      const all = frames((yield* start(server, "both", { stream: "true" })).text)
      for (const name of ["a", "b"]) {
        const own = all.filter(({ data }) => data["step_name"] === name)
        assert.deepStrictEqual([own[0]?.kind, own.at(-1)?.kind], ["StepStarted", "StepCompleted"])
      }
    }))
})
