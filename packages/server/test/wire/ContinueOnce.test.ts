// `Idempotency-Key` on continuing runs: one key, one run, one outcome. A word that was lost is executed by a retry, and
// a word that was refused is refused again.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { ask, at, failed, type Fields, list, notFound, runWhole, serve, undecided } from "../Wire.ts"

Tier.oneIn(8)

const paid = Schema.Struct({ amount: Schema.Finite })

interface Options {
  readonly turns?: ReadonlyArray<Script.Turn>
  readonly build?: (agent: Agent.Agent) => AgentFactory.AgentFactory
  readonly database?: (database: Database) => Database
}

const paying = [[Script.toolCall("pay", { amount: 10 }, "call_1")], [Script.text("Done.")]]

const started = Effect.fnUntraced(function*({ build, database, turns = paying }: Options = {}) {
  const done: Array<unknown> = []
  const script = yield* Script.make(turns)
  const pay = Tool.make({
    name: "pay",
    parameters: paid,
    requiresConfirmation: true,
    execute: (input) => (done.push(input.amount), "paid")
  })
  const agent = Agent.make({ id: "payer", name: "Payer", model: script.model, tools: [pay] })
  const server = yield* serve({
    agents: [build === undefined ? agent : build(agent)],
    ...(database === undefined ? {} : { database })
  })
  yield* runWhole(server, "payer", { message: "x", session_id: "s", run_id: "r" })
  return { done, server, modelCalls: Effect.map(script.calls, ({ length }) => length) }
})

const proceed = (server: TestServer.TestServer, fields: Fields, key?: string, kind = "agents/payer") =>
  ask(server, `/${kind}/runs/r/continue`, {
    method: "POST",
    headers: key === undefined ? {} : { "idempotency-key": key },
    body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
  })

const confirmed = { tools: JSON.stringify([{ tool_call_id: "call_1", confirmed: true }]) }
const wrong = { tools: JSON.stringify([{ tool_call_id: "wrong", confirmed: true }]) }

const runsIn = (server: TestServer.TestServer) =>
  Effect.map(ask(server, "/agents/payer/runs?session_id=s"), ({ json }) => list(json).length)

/** A store whose next statement of a kind fails, before or after it is executed. */
const failing = (method: "resume" | "create", when: "before" | "after") => {
  const fault = { isOn: false }
  const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
  const database = (database: Database): Database => {
    const { runs } = database
    const broken = <A, E, I>(statement: (input: I) => Effect.Effect<A, E>) => (input: I) =>
      Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => {
        if (!fault.isOn) return statement(input)
        fault.isOn = false
        return when === "before" ? down : Effect.andThen(statement(input), down)
      })
    return {
      ...database,
      runs: { ...runs, [method]: broken(runs[method] as (input: unknown) => Effect.Effect<unknown>) }
    }
  }
  return { fault, database }
}

const twice = <A>(request: Effect.Effect<A>) => Effect.all([request, request], { concurrency: "unbounded" })

/** A factory that makes the agent of a new run at once, and waits for a gate where a run is continued. */
const slow = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  let waiting = 0
  const wait = Effect.andThen(Effect.sync(() => waiting++), Deferred.await(gate))
  return {
    gate,
    bothAreWaiting: Effect.repeat(Effect.yieldNow, { until: () => waiting === 2 }),
    build: (agent: Agent.Agent) =>
      AgentFactory.make({
        id: "payer",
        build: ({ run }) => run === null ? Effect.succeed(agent) : Effect.as(wait, agent)
      })
  }
})

describe("a key on continuing a paused run, many times at once", () => {
  it.effect("every response is the first one again", () =>
    Effect.gen(function*() {
      const { done, server } = yield* started()
      const request = proceed(server, confirmed, "k")
      const answers = yield* Effect.all(Array.from({ length: 10 }, () => request), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status), answers.map(() => 200))
      for (const { json } of answers) assert.deepStrictEqual(json, answers[0]?.json)
      assert.isAbove(list(answers[0]?.json, "messages").length, 0)
      assert.deepStrictEqual(done, [10])
      const later = yield* request
      assert.deepStrictEqual(later.json, answers[0]?.json)
    }))
})

describe("a key on continuing a finished run", () => {
  it.effect("many equal requests at once make one new run", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started({ turns: [[Script.text("One.")], [Script.text("Two.")]] })
      const again = proceed(server, { input: "more" }, "k")
      const answers = yield* Effect.all([again, again, again], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
      assert.strictEqual(new Set(answers.map(({ json }) => at(json, "run_id"))).size, 1)
      assert.strictEqual(at(answers[0]?.json, "content"), "Two.")
      assert.strictEqual(yield* modelCalls, 2)
      assert.strictEqual(yield* runsIn(server), 2)
    }))

  it.effect("two equal requests make one new run while a slow factory makes the agent of both", () =>
    Effect.gen(function*() {
      const { build, bothAreWaiting, gate } = yield* slow
      const { server } = yield* started({ turns: [[Script.text("One.")], [Script.text("Two.")]], build })
      const requests = yield* Effect.forkChild(twice(proceed(server, { input: "more" }, "k")))
      yield* bothAreWaiting
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Fiber.join(requests)
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200])
      assert.strictEqual(new Set(answers.map(({ json }) => at(json, "run_id"))).size, 1)
      assert.strictEqual(yield* runsIn(server), 2)
    }))

  it.effect("a repeated request makes the claimed run when the first one did not come so far", () =>
    Effect.gen(function*() {
      const { database, fault } = failing("create", "before")
      const { server } = yield* started({ turns: [[Script.text("One.")], [Script.text("Two.")]], database })
      fault.isOn = true
      failed(yield* proceed(server, { input: "more" }, "k"), 503, "SERVICE_UNAVAILABLE")
      const first = yield* proceed(server, { input: "more" }, "k")
      assert.strictEqual(at(first.json, "content"), "Two.")
      assert.deepStrictEqual((yield* proceed(server, { input: "more" }, "k")).json, first.json)
      assert.strictEqual(yield* runsIn(server), 2)
    }))

  it.effect("a repeated request gets the run that the first one has stored, when its response was lost", () =>
    Effect.gen(function*() {
      const { database, fault } = failing("create", "after")
      const { server } = yield* started({ turns: [[Script.text("One.")], [Script.text("Two.")]], database })
      fault.isOn = true
      failed(yield* proceed(server, { input: "more" }, "k"), 503, "SERVICE_UNAVAILABLE")
      const retry = yield* Effect.forkChild(proceed(server, { input: "more" }, "k"))
      yield* TestClock.adjust("5 seconds")
      // its caller got the error that it is not executed
      assert.deepInclude((yield* Fiber.join(retry)).json, { status: "CANCELLED" })
      assert.strictEqual(yield* runsIn(server), 2)
    }))
})

describe("a key on continuing a paused run", () => {
  it.effect("many equal requests at once share one outcome", () =>
    Effect.gen(function*() {
      const { done, server } = yield* started()
      const confirm = proceed(server, confirmed, "k")
      const answers = yield* Effect.all([confirm, confirm, confirm], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ json }) => at(json, "status")), ["COMPLETED", "COMPLETED", "COMPLETED"])
      assert.deepStrictEqual(done, [10])
    }))

  it.effect("two equal requests share one outcome while a slow factory makes the agent of both", () =>
    Effect.gen(function*() {
      const { build, bothAreWaiting, gate } = yield* slow
      const { done, server } = yield* started({ build })
      const requests = yield* Effect.forkChild(twice(proceed(server, confirmed, "k")))
      yield* bothAreWaiting
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Fiber.join(requests)
      assert.deepStrictEqual(answers.map(({ json }) => at(json, "status")), ["COMPLETED", "COMPLETED"])
      assert.deepStrictEqual(done, [10])
    }))

  it.effect("a refused request is refused again when repeated, and its key is free for a better request", () =>
    Effect.gen(function*() {
      const { done, server } = yield* started()
      for (let n = 0; n < 3; n++) undecided(yield* proceed(server, wrong, "k"), /the run has no call 'wrong'/)
      assert.deepInclude((yield* proceed(server, confirmed, "k")).json, { status: "COMPLETED" })
      assert.deepStrictEqual(done, [10])
    }))

  it.effect("a repeated request applies the decision when the first one was lost before the run was resumed", () =>
    Effect.gen(function*() {
      const { database, fault } = failing("resume", "before")
      const { done, server } = yield* started({ database })
      fault.isOn = true
      failed(yield* proceed(server, confirmed, "k"), 503, "SERVICE_UNAVAILABLE")
      assert.deepStrictEqual(done, [])
      assert.deepInclude((yield* proceed(server, confirmed, "k")).json, { status: "COMPLETED" })
      assert.deepInclude((yield* proceed(server, confirmed, "k")).json, { status: "COMPLETED" })
      assert.deepStrictEqual(done, [10])
    }))

  it.effect("a repeated request gets the run that the first one has resumed, and makes its call once", () =>
    Effect.gen(function*() {
      const { database, fault } = failing("resume", "after")
      const { done, server } = yield* started({ database })
      fault.isOn = true
      failed(yield* proceed(server, confirmed, "k"), 503, "SERVICE_UNAVAILABLE")
      const retry = yield* Effect.forkChild(proceed(server, confirmed, "k"))
      // the node looks for runs that it may hold without knowing
      yield* TestClock.adjust("5 seconds")
      const { json } = yield* Fiber.join(retry)
      // no entry of the journal marks the call as begun, so it had not begun
      assert.deepInclude(json, { run_id: "r", status: "COMPLETED" })
      assert.deepStrictEqual(done, [10])
      assert.strictEqual(yield* runsIn(server), 1)
    }))

  it.effect("a request whose decision was lost learns that another one has resumed the run since", () =>
    Effect.gen(function*() {
      const { database, fault } = failing("resume", "before")
      const { done, server } = yield* started({ database })
      fault.isOn = true
      failed(yield* proceed(server, confirmed, "k"), 503, "SERVICE_UNAVAILABLE")
      const rejected = { tools: JSON.stringify([{ tool_call_id: "call_1", confirmed: false }]) }
      assert.deepInclude((yield* proceed(server, rejected, "other")).json, { status: "COMPLETED" })
      failed(yield* proceed(server, confirmed, "k"), 409, "CONFLICT")
      assert.deepStrictEqual(done, [])
    }))

  it.effect("a repeated request finds its own outcome after the run has paused again", () =>
    Effect.gen(function*() {
      const { done, server } = yield* started({
        turns: [
          [Script.toolCall("pay", { amount: 10 }, "call_1")],
          [Script.toolCall("pay", { amount: 20 }, "call_2")],
          [Script.text("Done.")]
        ]
      })
      const first = yield* proceed(server, confirmed, "k")
      assert.deepInclude(first.json, { status: "PAUSED" })
      assert.deepStrictEqual((yield* proceed(server, confirmed, "k")).json, first.json)
      assert.deepStrictEqual(done, [10])
    }))

  it.effect("a repeated request applies the decision about a workflow, and once", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { database, fault } = failing("resume", "before")
      const workflow = Workflow.make({
        id: "flow",
        steps: [Step.make({ name: "act", confirmation: true, run: () => (done.push("acted"), "Acted.") })]
      })
      const server = yield* serve({ workflows: [workflow], database })
      const paused = yield* ask(server, "/workflows/flow/runs", {
        method: "POST",
        body: new URLSearchParams({ message: "x", session_id: "s", run_id: "r", stream: "false" })
      })
      const requirement = at(paused.json, "step_requirements", 0) as object
      const fields = { step_requirements: JSON.stringify([{ ...requirement, confirmed: true }]) }
      const confirm = proceed(server, fields, "k", "workflows/flow")
      fault.isOn = true
      failed(yield* confirm, 503, "SERVICE_UNAVAILABLE")
      const answers = yield* Effect.all([confirm, confirm], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ json }) => at(json, "status")), ["COMPLETED", "COMPLETED"])
      assert.deepStrictEqual(done, ["acted"])
    }))
})

describe("a run that waits for an approval", () => {
  it.effect("a run that waits for an approval is not found by an isolated caller who does not own it", () =>
    Effect.gen(function*() {
      const script = yield* Script.make(paying)
      const pay = Tool.make({ name: "pay", parameters: paid, approval: "required", execute: () => "paid" })
      const agent = Agent.make({ id: "payer", name: "Payer", model: script.model, tools: [pay] })
      const server = yield* serveClosed({ agents: [agent] })
      const post = (path: string, fields: Fields, bearer: string) =>
        call(server, {
          path: `/agents/payer/runs${path}`,
          init: { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) }
        }, bearer)
      const [ann, bob] = [yield* token("ann", "agents:run"), yield* token("bob", "agents:run")]
      assert.deepInclude((yield* post("", { message: "x", run_id: "r" }, ann)).json, { status: "PAUSED" })
      notFound(yield* post("/r/continue", confirmed, bob), "Run not found")
      notFound(yield* post("/other/continue", confirmed, bob), "Run not found")
      failed(yield* post("/r/continue", confirmed, ann), 403, "FORBIDDEN")
    }))
})
