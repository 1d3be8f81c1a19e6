// Workflows over a socket: started, continued, cancelled, watched again; and what happens to a run whose
// socket dies, of clients that send the wrong things, and of those that never say who they are.
import { assert, describe, it } from "@effect/vitest"
import type { FactoryContext } from "@svc/runtime/factory/FactoryContext"
import { FactoryPermissionError } from "@svc/runtime/factory/FactoryErrors"
import * as Step from "@svc/runtime/workflow/Step"
import * as Workflow from "@svc/runtime/workflow/Workflow"
import * as WorkflowFactory from "@svc/runtime/workflow/WorkflowFactory"
import * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { closed, token } from "../authorization/Closed.ts"
import { at, list, second } from "../Wire.ts"
import { Tenant } from "../wire/Factories.ts"
import { askingFlow, first, plainFlow } from "../wire/Flows.ts"
import { open } from "./SocketClient.ts"

/** A workflow that waits until it is let go. */
const gated = Effect.gen(function*() {
  const [reached, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const wait = Step.make({
    name: "wait",
    run: () => Effect.as(Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate)), "waited")
  })
  const workflow = Workflow.make({ id: "gated", steps: [first, wait] })
  return { workflow, reached: Deferred.await(reached), release: Deferred.succeed(gate, undefined) }
})

const serve = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  yield* TestClock.setTime(second * 1000)
  return yield* TestServer.listen({ workflows: [plainFlow, askingFlow], ...options })
})

const connect = Effect.fnUntraced(function*(url: string, path = "/workflows/ws") {
  const client = yield* open(url, path)
  yield* client.next
  return client
})

type Client = Effect.Success<ReturnType<typeof connect>>

/** The messages until an event of this kind, which is the last of them. */
const until = Effect.fnUntraced(function*(client: Client, kind: string) {
  const frames: Array<unknown> = []
  while (at(frames.at(-1), "event") !== kind) frames.push(yield* client.next)
  return frames
})

const kinds = (frames: ReadonlyArray<unknown>) => frames.map((frame) => at(frame, "event"))
const fetched = (url: string, path: string) =>
  Effect.promise(() => fetch(url + path).then((response) => response.json() as Promise<unknown>))

const start = { action: "start-workflow", workflow_id: "plain", message: "go", session_id: "s", run_id: "r" }
const error = (text: string) => ({ event: "error", error: text })

describe("a defect", () => {
  it.effect("a message whose answer is a defect is answered with an id of the log, and the socket stays open", () =>
    Effect.gen(function*() {
      const { logs, url } = yield* serve({
        database: (database) => ({
          ...database,
          runs: { ...database.runs, snapshot: () => Effect.die("damaged"), readEvents: () => Effect.die("damaged") }
        })
      })
      const client = yield* connect(url)
      for (const action of ["continue-workflow", "reconnect"]) {
        const answer = yield* client.ask({ action, workflow_id: "plain", run_id: "r", session_id: "s" })
        const text = String(at(answer, "error"))
        assert.match(text, /^The service failed to answer\. Its log says more under request_id /)
        const logged = logs.find(({ annotations }) => text.includes(String(annotations["request_id"])))
        assert.strictEqual(logged?.level, "ERROR")
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
      // the answer and the end of the run are sent independently of each other
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
      const [asked] = list(paused, "step_requirements")
      const proceed = { action: "continue-workflow", workflow_id: "asking", run_id: "r", session_id: "s" }
      const unresolved = "Cannot continue run - unresolved step requirements: ['asked']"
      assert.deepStrictEqual<unknown>(yield* client.ask(proceed), error(unresolved))
      const misspelt = [{ step_id: at(asked, "step_id"), confirmed: true, edited_ouput: "x" }]
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
      yield* client.send({ ...proceed, step_requirements: [{ ...asked as object, confirmed: true }] })
      const frames = yield* until(client, "WorkflowCompleted")
      assert.strictEqual(at(frames[0], "event"), "StepContinued")
      assert.deepStrictEqual<unknown>(yield* client.ask(proceed), error("Run is not paused (status=COMPLETED)"))
    }))

  it.effect("a decision is sent in requirements too", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const client = yield* connect(url)
      yield* client.send({ ...start, workflow_id: "asking" })
      const [asked] = list((yield* until(client, "WorkflowPaused")).at(-1), "step_requirements")
      const proceed = { action: "continue-workflow", workflow_id: "asking", run_id: "r", session_id: "s" }
      assert.match(
        String(at(yield* client.ask({ ...proceed, requirements: "yes" }), "error")),
        /^Invalid structure or content for requirements: /
      )
      yield* client.send({ ...proceed, requirements: [{ ...asked as object, confirmed: true }] })
      assert.strictEqual(at((yield* until(client, "WorkflowCompleted"))[0], "event"), "StepContinued")
    }))
})

describe("a client that reconnects", () => {
  it.effect("a client that reconnects to an executing run gets the missed events, and then the new ones", () =>
    Effect.gen(function*() {
      const { reached, release, workflow } = yield* gated
      const { url } = yield* serve({ workflows: [workflow] })
      const one = yield* connect(url)
      yield* one.send({ ...start, workflow_id: "gated" })
      yield* reached
      while (at(yield* one.next, "step_name") !== "wait");
      const other = yield* connect(url)
      yield* other.send({
        action: "reconnect",
        workflow_id: "gated",
        run_id: "r",
        session_id: "s",
        last_event_index: 1
      })
      const missed = yield* until(other, "subscribed")
      assert.deepStrictEqual(kinds(missed), ["catch_up", "StepCompleted", "StepStarted", "subscribed"])
      assert.deepStrictEqual([at(missed[0], "missed_events"), at(missed[1], "event_index")], [3, 3])
      yield* release
      const rest = yield* until(other, "WorkflowCompleted")
      assert.deepStrictEqual(kinds(rest), ["StepCompleted", "WorkflowCompleted"])
      assert.isUndefined(at(rest[0], "live"))
    }))

  it.effect("a client that reconnects to an ended run gets the events after the last one that it has seen", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const one = yield* connect(url)
      yield* one.send(start)
      yield* until(one, "WorkflowCompleted")
      const other = yield* connect(url)
      yield* other.send({ action: "reconnect", run_id: "r", last_event_index: 5 })
      const rest = yield* until(other, "WorkflowCompleted")
      assert.deepStrictEqual(rest.map((frame) => at(frame, "event_index")), [undefined, 6, 7])
      assert.deepStrictEqual([at(rest[0], "event"), at(rest[0], "total_events")], ["replay", 2])
      yield* other.send({ action: "reconnect", run_id: "r" })
      const frames = yield* until(other, "WorkflowCompleted")
      assert.deepStrictEqual(kinds(frames).slice(0, 3), ["replay", "WorkflowStarted", "StepStarted"])
      assert.deepStrictEqual([at(frames[0], "status"), at(frames[0], "total_events")], ["COMPLETED", 8])
      yield* other.send({ action: "reconnect", run_id: "r", last_event_index: 7 })
      assert.deepStrictEqual(at(yield* other.next, "total_events"), 0)
    }))

  it.effect("a client that reconnects to an unknown run gets an error", () =>
    Effect.gen(function*() {
      const client = yield* connect((yield* serve()).url)
      const frames = yield* client.ask({ action: "reconnect", run_id: "r" })
      assert.deepStrictEqual<unknown>(frames, error("Run r not found in buffer or database"))
    }))
})

describe("a workflow that a factory makes", () => {
  const made = Effect.gen(function*() {
    const seen: Array<FactoryContext<typeof Tenant.Type>> = []
    const factory = WorkflowFactory.make({
      id: "made",
      inputSchema: Tenant,
      build: (context) => {
        seen.push(context)
        const { input } = context
        if (input?.tenant === "stranger") throw new FactoryPermissionError({ message: "Not for you" })
        if (input?.tenant === "broken") throw new Error("hunter2")
        const asked = Step.make({ name: "asked", confirmation: true, run: () => `for ${input?.tenant}` })
        return Workflow.make({ id: "made", steps: [asked] })
      }
    })
    return { factory, seen }
  })
  const begin = { ...start, workflow_id: "made", factory_input: { tenant: "acme" } }

  it.effect("a workflow is made from the object in the message, to start and to continue", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* made
      const { url } = yield* serve({ workflows: [factory] })
      const client = yield* connect(url, "/workflows/made/ws")
      yield* client.send({ ...begin, workflow_id: undefined, user_id: "ann" })
      const paused = (yield* until(client, "WorkflowPaused")).at(-1)
      const [asked] = list(paused, "step_requirements")
      const proceed = {
        action: "continue-workflow",
        run_id: "r",
        session_id: "s",
        step_requirements: [{ ...asked as object, confirmed: true }]
      }
      assert.match(String(at(yield* client.ask(proceed), "error")), /^Factory error: factory_input validation failed: /)
      yield* client.send({ ...proceed, factory_input: { tenant: "globex" } })
      const frames = yield* until(client, "WorkflowCompleted")
      assert.strictEqual(at(frames.at(-1), "content"), "for globex")
      assert.deepStrictEqual(seen.map(({ input, request }) => [input, request]), [
        [{ tenant: "acme" }, null],
        [{ tenant: "globex" }, null]
      ])
      assert.deepInclude(seen[0], { userId: "ann" as never, sessionId: "s" })
    }))

  it.effect("a factory gets the claims of the token, and nothing else", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* made
      const { url } = yield* serve({ workflows: [factory], authorization: yield* closed })
      const client = yield* connect(url)
      yield* client.send({ action: "authenticate", token: yield* token("ann", "workflows:run") })
      yield* client.next
      yield* client.next
      yield* client.send({ ...begin, user_id: "bob" })
      yield* until(client, "WorkflowPaused")
      assert.strictEqual(String(seen[0]?.userId), "ann")
      assert.strictEqual(seen[0]?.trusted.claims["sub"], "ann")
      assert.deepStrictEqual(seen[0]?.trusted.scopes, new Set(["workflows:run"]))
    }))

  it.effect("a refused message is answered with one frame, nothing is stored, and the socket stays", () =>
    Effect.gen(function*() {
      const { factory } = yield* made
      const { url } = yield* serve({ workflows: [factory] })
      const client = yield* connect(url)
      const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
        [undefined, /^Factory error: factory_input validation failed: tenant: /],
        [null, /^Factory error: factory_input validation failed: tenant: /],
        [{ tenant: 5 }, /^Factory error: factory_input validation failed: tenant: /],
        [`{"tenant":"acme"}`, /^Factory error: factory_input must be a JSON object, got string$/],
        [["acme"], /^Factory error: factory_input must be a JSON object, got array$/],
        [5, /^Factory error: factory_input must be a JSON object, got number$/],
        [{ tenant: "stranger" }, /^Factory error: Not for you$/],
        [{ tenant: "broken" }, /^Factory error: Workflow factory error: The workflow factory 'made' failed/]
      ]
      for (const [factory_input, frames] of wrong) {
        const answer = yield* client.ask({ ...begin, factory_input })
        assert.strictEqual(at(answer, "event"), "error")
        assert.match(String(at(answer, "error")), frames)
        assert.notInclude(JSON.stringify(answer), "hunter2")
      }
      assert.deepStrictEqual(list(yield* fetched(url, "/sessions?type=workflow"), "data"), [])
      yield* client.send(begin)
      yield* until(client, "WorkflowPaused")
    }))

  it.effect("a run is watched again without the factory", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* made
      const { url } = yield* serve({ workflows: [factory] })
      const client = yield* connect(url)
      yield* client.send(begin)
      yield* until(client, "WorkflowPaused")
      const other = yield* connect(url)
      yield* other.send({ action: "reconnect", workflow_id: "made", run_id: "r", session_id: "s" })
      assert.deepStrictEqual(kinds(yield* until(other, "subscribed")), [
        "catch_up",
        "WorkflowStarted",
        "StepPaused",
        "WorkflowPaused",
        "subscribed"
      ])
      assert.strictEqual(seen.length, 1)
    }))
})

describe("a socket that dies", () => {
  it.effect("a disconnect leaves the run as it is, and it continues", () =>
    Effect.gen(function*() {
      const { reached, release, workflow } = yield* gated
      const { url } = yield* serve({ workflows: [workflow] })
      yield* Effect.scoped(Effect.gen(function*() {
        const client = yield* connect(url)
        yield* client.send({ ...start, workflow_id: "gated" })
        yield* reached
      }))
      yield* release
      yield* Effect.promise(() => fetch(`${url}/workflows/gated/runs/r/events?session_id=s`).then((all) => all.text()))
      const run = yield* fetched(url, "/workflows/gated/runs/r?session_id=s")
      assert.strictEqual(at(run, "status"), "COMPLETED")
    }))

  it.effect("a disconnect cancels the run where that was requested", () =>
    Effect.gen(function*() {
      const { reached, workflow } = yield* gated
      const { url } = yield* serve({ workflows: [workflow] })
      yield* Effect.scoped(Effect.gen(function*() {
        const client = yield* connect(url)
        yield* client.send({ ...start, workflow_id: "gated", on_disconnect: "cancel" })
        yield* reached
      }))
      const events = yield* Effect.promise(() =>
        fetch(`${url}/workflows/gated/runs/r/events?session_id=s`).then((all) => all.text())
      )
      assert.include(events, "event: WorkflowCancelled")
    }))
})

describe("messages of the wrong kind", () => {
  it.effect("an invalid message is answered with one error, nothing is stored, and the socket stays", () =>
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

  it.effect("an input that does not fit the workflow is answered with the reasons", () =>
    Effect.gen(function*() {
      const typed = Workflow.make({
        id: "plain",
        inputSchema: Schema.Struct({ topic: Schema.String }),
        steps: [() => "done"]
      })
      const client = yield* connect((yield* serve({ workflows: [typed] })).url)
      assert.match(String(at(yield* client.ask(start), "error")), /takes JSON that fits its input_schema/)
    }))
})

describe("whose runs they are", () => {
  const as = Effect.fnUntraced(function*(url: string, user: string) {
    const client = yield* connect(url)
    yield* client.send({ action: "authenticate", token: yield* token(user, "workflows:run") })
    yield* client.next
    yield* client.next
    return client
  })

  it.effect("a run belongs to the token's subject, and to the named user without one", () =>
    Effect.gen(function*() {
      const { url } = yield* serve({ authorization: yield* closed })
      const ann = yield* as(url, "ann")
      yield* ann.send({ ...start, user_id: "bob" })
      yield* until(ann, "WorkflowCompleted")
      const bob = yield* as(url, "bob")
      const about = { workflow_id: "plain", run_id: "r", session_id: "s" }
      const missing = error("Run r not found")
      assert.deepStrictEqual<unknown>(yield* bob.ask({ action: "reconnect", ...about }), missing)
      assert.deepStrictEqual<unknown>(yield* bob.ask({ action: "continue-workflow", ...about }), missing)
      assert.deepStrictEqual<unknown>(yield* bob.ask({ action: "cancel-workflow", ...about }), missing)
      assert.deepStrictEqual<unknown>(
        yield* bob.ask({ ...start, run_id: "r2" }),
        error("Session with id 's' not found")
      )
    }))

  it.effect("a hundred unauthenticated sockets are closed, and nothing is left", () =>
    Effect.gen(function*() {
      const { url } = yield* serve({ authorization: { securityKey: "key" } })
      const clients = yield* Effect.forEach(Array.from({ length: 100 }), () => connect(url), { concurrency: 20 })
      for (const client of clients) yield* client.ask(start)
      yield* TestClock.adjust("30 seconds")
      const ends = yield* Effect.forEach(clients, (client) => client.closed)
      for (const end of ends) assert.deepStrictEqual(end, { code: 1008, reason: "Authentication timeout" })
      const sessions = yield* Effect.promise(() =>
        fetch(`${url}/sessions`, { headers: { authorization: "Bearer key" } }).then((response) => response.json())
      )
      assert.deepStrictEqual(list(sessions, "data"), [])
    }))
})
