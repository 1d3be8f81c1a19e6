// Workflows over a socket: started, continued, cancelled, watched again; and what happens to a run whose
// socket dies, of clients that send invalid messages, and of clients that never authenticate.
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { at, list } from "../Wire.ts"
import { plainFlow } from "../wire/Flows.ts"
import { connect, error, fetched, gated, kinds, serve, start, until } from "./SocketService.ts"

Tier.oneIn(8)

describe("a defect", () => {
  it.effect("a message whose handling fails with a defect gets the id of the handshake, and the socket stays open", () =>
    Effect.gen(function*() {
      const { logs, url } = yield* serve({
        database: (database) => ({
          ...database,
          runs: { ...database.runs, snapshot: () => Effect.die("damaged"), readEvents: () => Effect.die("damaged") }
        })
      })
      const client = yield* connect(url, "/workflows/ws", { "x-request-id": "mine-7" })
      for (const [before, action] of ["continue-workflow", "reconnect"].entries()) {
        const answer = yield* client.ask({ action, workflow_id: "plain", run_id: "r", session_id: "s" })
        assert.strictEqual(
          at(answer, "error"),
          "The service failed to respond. Its log says more under request_id mine-7."
        )
        const logged = logs.filter(({ annotations, level }) =>
          level === "ERROR" && annotations["request_id"] === "mine-7"
        )
        assert.lengthOf(logged, before + 1)
      }
      assert.deepStrictEqual(yield* client.ask({ action: "ping" }), { event: "pong" })
    }))
})

describe("a run that is started by a message", () => {
  it.effect("a run is refused in a busy session when the message says so", () =>
    Effect.gen(function*() {
      const { reached, workflow } = yield* gated
      const client = yield* connect((yield* serve({ workflows: [workflow, plainFlow] })).url)
      const busy = { ...start, workflow_id: "gated" }
      yield* client.send(busy)
      yield* reached
      const second = { ...busy, run_id: "second" }
      yield* client.send({ ...second, if_busy: "reject" })
      const frames = yield* until(client, "error")
      assert.match(String(at(frames.at(-1), "error")), /is busy/)
    }))

  it.effect("a run has the options of its message, also those for what is known and for its inner runs", () =>
    Effect.gen(function*() {
      const commands: Array<string> = []
      const { url } = yield* serve({
        database: (database) => ({
          ...database,
          runs: {
            ...database.runs,
            create: (begun) => {
              commands.push(JSON.stringify(begun))
              return database.runs.create(begun)
            }
          }
        })
      })
      const client = yield* connect(url)
      yield* client.send({ ...start, memory: false, knowledge_filters: { team: "money" } })
      yield* until(client, "WorkflowCompleted")
      assert.lengthOf(commands, 1)
      assert.include(commands[0], `"memory":false`)
      assert.include(commands[0], `"knowledge_filters":{"team":"money"}`)
      yield* client.send({ ...start, run_id: "second", knowledge_filters: { op: "NEAR" } })
      assert.match(String(at(yield* client.next, "error")), /^knowledge_filters: /)
    }))

  it.effect("a run is sent event by event, in the form of server-sent ones, without what is for streams alone", () =>
    Effect.gen(function*() {
      const client = yield* connect((yield* serve()).url)
      yield* client.send(start)
      const frames = yield* until(client, "WorkflowCompleted")
      assert.deepStrictEqual(kinds(frames), [
        "WorkflowStarted",
        "StepStarted",
        "StepCompleted",
        "StepStarted",
        "StepCompleted",
        "WorkflowCompleted"
      ])
      for (const frame of frames) {
        assert.deepStrictEqual([at(frame, "live"), at(frame, "run_id")], [at(frame, "event"), "r"])
      }
      assert.deepStrictEqual(frames.map((frame) => at(frame, "event_index")), [0, 1, 3, 4, 6, 7])
    }))

  it.effect("every message is a JSON object for a client that asks for the subprotocol json", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const client = yield* connect(url, "/workflows/ws", {}, ["other", "json"])
      assert.strictEqual(client.protocol, "json")
      yield* client.send(start)
      const frames = yield* until(client, "WorkflowCompleted")
      assert.include(kinds(frames), "WorkflowStarted")
      // the client of the tests marks events in the form of server-sent ones
      for (const frame of frames) assert.isUndefined(at(frame, "live"))
    }))

  it.effect("a run is of the workflow of the path, and is stored as any other", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const client = yield* connect(url, "/workflows/plain/ws")
      yield* client.send({ ...start, workflow_id: undefined })
      yield* until(client, "WorkflowCompleted")
      const run = yield* fetched(url, "/workflows/plain/runs/r?session_id=s")
      assert.deepStrictEqual([at(run, "status"), at(run, "content")], ["COMPLETED", "after did go"])
    }))

  it.effect("a run is refused for an unknown workflow, and for a used id", () =>
    Effect.gen(function*() {
      const client = yield* connect((yield* serve()).url)
      assert.deepStrictEqual<unknown>(
        yield* client.ask({ ...start, workflow_id: "none" }),
        error("Workflow none not found")
      )
      yield* client.send(start)
      yield* until(client, "WorkflowCompleted")
      assert.match(String(at(yield* client.ask(start), "error")), /^Run with id 'r' already exists/)
    }))

  it.effect("keep-alive messages are sent while there are no events", () =>
    Effect.gen(function*() {
      const { reached, release, workflow } = yield* gated
      const client = yield* connect((yield* serve({ workflows: [workflow] })).url)
      yield* client.send({ ...start, workflow_id: "gated" })
      yield* reached
      while (at(yield* client.next, "step_name") !== "wait");
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual<unknown>(yield* client.next, { event: "heartbeat" })
      yield* release
      yield* until(client, "WorkflowCompleted")
    }))

  it.effect("a run is cancelled by a message", () =>
    Effect.gen(function*() {
      const { reached, workflow } = yield* gated
      const client = yield* connect((yield* serve({ workflows: [workflow] })).url)
      yield* client.send({ ...start, workflow_id: "gated" })
      yield* reached
      yield* client.send({ action: "cancel-workflow", workflow_id: "gated", run_id: "r", session_id: "s" })
      // the response and the end of the run are sent independently of each other
      const frames = yield* until(client, "WorkflowCancelled")
      if (!kinds(frames).includes("cancel_requested")) frames.push(yield* client.next)
      assert.include(kinds(frames), "cancel_requested")
      const none = yield* client.ask({ action: "cancel-workflow", workflow_id: "gated", run_id: "x", session_id: "s" })
      assert.deepStrictEqual<unknown>(none, error("Run x not found"))
    }))
})

describe("a run that waits for a person", () => {
  it.effect("a paused run continues with a message, as often as the message is valid", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const client = yield* connect(url)
      yield* client.send({ ...start, workflow_id: "asking" })
      const paused = (yield* until(client, "WorkflowPaused")).at(-1)
      const [requirement] = list(paused, "step_requirements")
      const proceed = { action: "continue-workflow", workflow_id: "asking", run_id: "r", session_id: "s" }
      const unresolved = "Cannot continue run - unresolved step requirements: ['asked']. Send `confirmed`, as " +
        "approve(run) and reject(run) of the clients do"
      assert.deepStrictEqual<unknown>(yield* client.ask(proceed), error(unresolved))
      const misspelt = [{ step_id: at(requirement, "step_id"), confirmed: true, edited_ouput: "x" }]
      for (const field of ["step_requirements", "requirements"]) {
        assert.match(String(at(yield* client.ask({ ...proceed, [field]: misspelt }), "error")), /"edited_ouput"/)
      }
      assert.match(
        String(at(yield* client.ask({ ...proceed, step_requirements: "yes" }), "error")),
        /^Invalid step_requirements: /
      )
      assert.match(
        String(at(yield* client.ask({ ...proceed, error_requirements: "yes" }), "error")),
        /^Invalid structure or content for error_requirements: /
      )
      assert.deepStrictEqual<unknown>(yield* client.ask({ ...proceed, run_id: "x" }), error("Run x not found"))
      const before = yield* fetched(url, "/workflows/asking/runs/r?session_id=s")
      assert.strictEqual(at(before, "status"), "PAUSED")
      yield* client.send({ ...proceed, step_requirements: [{ ...requirement as object, confirmed: true }] })
      const frames = yield* until(client, "WorkflowCompleted")
      assert.strictEqual(at(frames[0], "event"), "StepContinued")
      assert.deepStrictEqual<unknown>(yield* client.ask(proceed), error("Run is not paused (status=COMPLETED)"))
    }))

  it.effect("a decision is sent in requirements too", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const client = yield* connect(url)
      yield* client.send({ ...start, workflow_id: "asking" })
      const [requirement] = list((yield* until(client, "WorkflowPaused")).at(-1), "step_requirements")
      const proceed = { action: "continue-workflow", workflow_id: "asking", run_id: "r", session_id: "s" }
      assert.match(
        String(at(yield* client.ask({ ...proceed, requirements: "yes" }), "error")),
        /^Invalid structure or content for requirements: /
      )
      yield* client.send({ ...proceed, requirements: [{ ...requirement as object, confirmed: true }] })
      assert.strictEqual(at((yield* until(client, "WorkflowCompleted"))[0], "event"), "StepContinued")
    }))
})

describe("messages of the wrong kind", () => {
  it.effect("an invalid message gets one error, nothing is stored, and the socket stays", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const client = yield* connect(url)
      const odd: ReadonlyArray<object> = [
        { ...start, message: { text: "go" } },
        { ...start, message: 7 },
        { ...start, session_id: 7 },
        { ...start, session_id: "x".repeat(513) },
        { ...start, run_id: ["r"] },
        { ...start, user_id: "a\u0000b" },
        { ...start, user_id: "sa:bot" },
        { ...start, workflow_id: 7 },
        { ...start, on_disconnect: "perhaps" },
        { action: "reconnect", run_id: "r", last_event_index: "1" },
        { action: "reconnect", run_id: "r", last_event_index: 1.5 },
        { action: "continue-workflow", workflow_id: "plain", run_id: "r" },
        { action: ["start-workflow"] }
      ]
      for (const message of odd) {
        assert.strictEqual(at(yield* client.ask(message), "event"), "error", JSON.stringify(message).slice(0, 100))
      }
      assert.deepStrictEqual(list(yield* fetched(url, "/sessions"), "data"), [])
      assert.deepStrictEqual<unknown>(yield* client.ask({ action: "ping" }), { event: "pong" })
    }))

  it.effect("an input that does not fit the workflow gets the reasons", () =>
    Effect.gen(function*() {
      const typed = Workflow.make({
        id: "plain",
        inputSchema: Schema.Struct({ topic: Schema.String }),
        steps: [() => "done"]
      })
      const client = yield* connect((yield* serve({ workflows: [typed] })).url)
      assert.match(
        String(at(yield* client.ask(start), "error")),
        /takes JSON that fits its input_schema, such as \{"topic":"…"\}/
      )
    }))
})
