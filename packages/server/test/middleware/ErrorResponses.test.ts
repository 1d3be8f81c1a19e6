// The last resort: a fault is a 500 that says nothing but an id, and the log has the cause under it. A
// database that does not reply is a 503.
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { Route } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { ask, at, failed, frames, get, kindsOf, leak, post, run, runWhole, send, serve, uuid } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

Tier.oneIn(6)

const secret = "postgres://user:hunter2@db/internal"

const fault = (message: string) => Effect.die(new Error(message))

describe("faults", () => {
  const routes = HttpRouter.use((router) =>
    router.addAll([
      HttpRouter.route("GET", "/fault", fault(secret)),
      HttpRouter.route("GET", "/odd", Effect.die({ password: secret })),
      HttpRouter.route("GET", "/thrown", Effect.sync(() => JSON.parse(secret) as HttpServerResponse.HttpServerResponse))
    ])
  )
  const added = Route.layer(routes, { "GET /fault": "none", "GET /odd": "none", "GET /thrown": "none" })

  it.effect("a request that the service interrupts gets 503 in the common shape, with the time to wait", () =>
    Effect.gen(function*() {
      const interrupted = HttpRouter.use((router) =>
        router.addAll([HttpRouter.route("GET", "/interrupted", Effect.interrupt)])
      )
      const server = yield* serve({ routes: [Route.layer(interrupted, { "GET /interrupted": "none" })] })
      const answer = yield* get(server, "/interrupted")
      failed(answer, 503, "SERVICE_UNAVAILABLE")
      assert.include(String(at(answer.json, "detail")), "interrupted the request")
      assert.strictEqual(answer.headers.get("retry-after"), "1")
    }))

  it.effect.each(["/fault", "/odd", "/thrown"])(
    "a fault of GET %s is 500 with a general text, and the log has the cause",
    (path) =>
      Effect.gen(function*() {
        const server = yield* serve({ routes: [added] })
        const answer = yield* get(server, `${path}?token=${secret}`)
        failed(answer, 500, "INTERNAL_SERVER_ERROR")
        const id = String(at(answer.json, "request_id"))
        assert.match(id, uuid)
        assert.include(String(at(answer.json, "detail")), id)
        assert.notInclude(answer.text, "hunter2")
        const logged = server.logs.filter(({ annotations }) => annotations["request_id"] === id)
        assert.strictEqual(logged.length, 1)
        assert.strictEqual(logged[0]?.level, "ERROR")
        assert.include(logged[0]?.cause ?? "", path === "/thrown" ? "JSON" : "hunter2")
        assert.deepInclude(logged[0]?.annotations, { method: "GET", path }, "the query is not logged")
      })
  )

  it.effect("every fault has an id of its own", () =>
    Effect.gen(function*() {
      const server = yield* serve({ routes: [added] })
      const ids = yield* Effect.forEach([1, 2, 3], () =>
        Effect.map(get(server, "/fault"), ({ json }) => at(json, "request_id")))
      assert.strictEqual(new Set(ids).size, 3)
    }))

  const broken = (database: Database): Database => ({
    ...database,
    sessions: {
      ...database.sessions,
      list: () => fault(secret),
      getConversation: () => fault(secret),
      create: () => fault(secret),
      update: () => fault(secret),
      remove: () => fault(secret)
    },
    runs: { ...database.runs, create: () => fault(secret), find: () => fault(secret), list: () => fault(secret) }
  })

  const paths = [
    "/sessions",
    "/sessions/s",
    "/sessions/s/runs",
    "/sessions/s/runs/r",
    "/agents/plain/runs?session_id=s",
    "/agents/plain/runs/r?session_id=s"
  ]

  it.effect.each(paths)("a fault of a store is 500 at GET %s", (path) =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], database: broken })
      const answer = yield* get(server, path)
      failed(answer, 500, "INTERNAL_SERVER_ERROR")
      assert.notInclude(answer.text, "hunter2")
    }))

  it.effect("a fault of a store is 500 where data is written", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], database: broken })
      const answers = [
        yield* post(server, "/sessions", {}),
        yield* post(server, "/sessions/s/rename", { session_name: "x" }),
        yield* send(server, "PATCH", "/sessions/s", {}),
        yield* ask(server, "/sessions/s", { method: "DELETE" }),
        yield* send(server, "DELETE", "/sessions", { session_ids: ["a"], session_types: ["agent"] }),
        yield* run(server, "plain", { message: "hi" }),
        yield* runWhole(server, "plain", { message: "hi" })
      ]
      for (const answer of answers) failed(answer, 500, "INTERNAL_SERVER_ERROR")
      assert.strictEqual(server.logs.filter(({ level }) => level === "ERROR").length, answers.length)
    }))
})

const down = Effect.fail(new StorageUnavailable({ cause: new Error(secret) }))

const unavailable = (database: Database): Database => ({
  ...database,
  sessions: {
    ...database.sessions,
    list: () => down,
    getConversation: () => down,
    create: () => down,
    update: () => down,
    remove: () => down
  },
  runs: { ...database.runs, create: () => down, find: () => down, list: () => down }
})

describe("a database that does not reply", () => {
  it.effect("a database that does not reply is 503 everywhere, and the error says to retry", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent], database: unavailable })
      const answers = [
        yield* get(server, "/sessions"),
        yield* get(server, "/sessions/s"),
        yield* get(server, "/sessions/s/runs"),
        yield* get(server, "/sessions/s/runs/r"),
        yield* post(server, "/sessions", {}),
        yield* post(server, "/sessions/s/rename", { session_name: "x" }),
        yield* send(server, "PATCH", "/sessions/s", {}),
        yield* ask(server, "/sessions/s", { method: "DELETE" }),
        yield* send(server, "DELETE", "/sessions", { session_ids: ["a"], session_types: ["agent"] }),
        yield* get(server, "/agents/plain/runs?session_id=s"),
        yield* get(server, "/agents/plain/runs/r?session_id=s"),
        yield* run(server, "plain", { message: "hi" }),
        yield* runWhole(server, "plain", { message: "hi" }),
        yield* run(server, "plain", { message: "hi", stream: "no", background: "yes" })
      ]
      for (const answer of answers) {
        failed(answer, 503, "SERVICE_UNAVAILABLE", /Try again/)
        assert.notInclude(answer.text, "hunter2")
      }
      assert.deepStrictEqual(yield* script.calls, [], "the model is not asked for what cannot be kept")
      assert.strictEqual((yield* get(server, "/health")).status, 200)
    }))

  it.effect("a database that does not reply differs from a node without a recent heartbeat, whose 503 says so", () =>
    Effect.gen(function*() {
      const silent = Effect.fail(new StorageUnavailable({ cause: "no heartbeat", hasNoHeartbeat: true }))
      const database = (database: Database) => ({ ...database, runs: { ...database.runs, create: () => silent } })
      const server = yield* serve({ agents: [(yield* plain).agent], database })
      const answer = yield* runWhole(server, "plain", { message: "hi" })
      failed(answer, 503, "SERVICE_UNAVAILABLE", /^This node has no recent heartbeat \(NODE_TIMEOUT\)/)
    }))

  /** A store that does not accept the end of a run until the test releases it. */
  const interrupted = () => {
    let isBack = false
    return {
      comeBack: () => (isBack = true),
      database: (database: Database): Database => ({
        ...database,
        runs: {
          ...database.runs,
          finish: (ending) => Effect.suspend(() => isBack ? database.runs.finish(ending) : down)
        }
      })
    }
  }

  it.effect("a lost database at the end of a run keeps its caller waiting, and the response is always stored", () =>
    Effect.gen(function*() {
      const { comeBack, database } = interrupted()
      const server = yield* serve({ agents: [(yield* plain).agent], database })
      const running = yield* Effect.forkChild(runWhole(server, "plain", { message: "hi" }))
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("10 seconds"), Effect.yieldNow), { times: 10 })
      assert.isUndefined(running.pollUnsafe())
      comeBack()
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("2 seconds"), Effect.yieldNow), {
        until: () => running.pollUnsafe() !== undefined
      })
      assert.strictEqual(at((yield* Fiber.join(running)).json, "status"), "COMPLETED")
    }))

  it.effect("a lost database at the end of a stream keeps it open, and shows no end that is not stored", () =>
    Effect.gen(function*() {
      const { comeBack, database } = interrupted()
      const server = yield* serve({ agents: [(yield* plain).agent], database })
      const running = yield* Effect.forkChild(run(server, "plain", { message: "hi" }))
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("10 seconds"), Effect.yieldNow), { times: 10 })
      assert.isUndefined(running.pollUnsafe())
      comeBack()
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("2 seconds"), Effect.yieldNow), {
        until: () => running.pollUnsafe() !== undefined
      })
      const { text } = yield* Fiber.join(running)
      assert.match(text, /: heartbeat\n\n[^]*event: RunCompleted\n/)
      assert.notInclude(text, "hunter2")
    }))
})

describe("faults inside of a run", () => {
  const message = { method: "POST", body: new URLSearchParams({ message: "hi" }) }

  /** A store that fails with a defect at each end that `isFatal` selects. */
  const dies = (isFatal: (status: string) => boolean) => (database: Database): Database => ({
    ...database,
    runs: {
      ...database.runs,
      finish: (ending) => isFatal(ending.run.status) ? fault(secret) : database.runs.finish(ending)
    }
  })

  const isCompleted = (status: string) => status === "COMPLETED"

  /** Moves the clock until the run has been retried as often as it may be. */
  const ended = Effect.fnUntraced(function*<A, E, R>(request: Effect.Effect<A, E, R>) {
    const waiting = yield* Effect.forkChild(request)
    yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow), {
      until: () => waiting.pollUnsafe() !== undefined,
      times: 600
    })
    return yield* Fiber.join(waiting)
  })

  const lastOf = (text: string) => text.slice(text.lastIndexOf("event: "))

  it.effect("a fault of a run is 503 when the caller waits for its output: the run is retried, and ends as ERROR", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], database: dies(isCompleted) })
      const answer = yield* runWhole(server, "plain", { message: "hi", run_id: "r", session_id: "s" })
      failed(answer, 503, "SERVICE_UNAVAILABLE", /Run 'r'/)
      const { text } = yield* ended(get(server, "/agents/plain/runs/r/events?session_id=s"))
      assert.notMatch(text, leak)
      const { json } = yield* get(server, "/agents/plain/runs/r?session_id=s")
      assert.strictEqual(at(json, "status"), "ERROR")
    }))

  for (const [when, isFatal] of [["at its end", isCompleted], ["at every end", () => true]] as const) {
    it.effect(`a fault ${when} closes the stream with an error without the cause, which is logged once for each attempt`, () =>
      Effect.gen(function*() {
        const server = yield* serve({ agents: [(yield* plain).agent], database: dies(isFatal) })
        const { text } = yield* ended(run(server, "plain", { message: "hi", run_id: "r" }))
        assert.match(lastOf(text), /^event: RunError\nid: \d+\ndata: \{[^\n]+\}\n\n$/)
        assert.notInclude(text, "hunter2")
        assert.notMatch(text, leak)
        const logged = server.logs.filter(({ annotations, cause }) =>
          cause.includes("hunter2") && annotations["attempt"] === 1
        )
        assert.strictEqual(logged.length, 1)
        assert.strictEqual(logged[0]?.annotations["run_id"], "r")
      }))
  }

  it.effect("a fault ends the stream of a team or a workflow with an error of their own kind", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const server = yield* serve({
        teams: [Team.make({ id: "t", model: agent.model, members: [agent] })],
        workflows: [Workflow.make({ id: "w", run: () => "done" })],
        database: dies(isCompleted)
      })
      const { text: team } = yield* ended(ask(server, "/teams/t/runs", message))
      assert.match(lastOf(team), /^event: TeamRunError\n.*\n.*"content":"The run broke off several times/)
      const { text: workflow } = yield* ended(ask(server, "/workflows/w/runs", message))
      assert.match(lastOf(workflow), /^event: WorkflowError\n.*\n.*"error":"The run broke off several times/)
    }))

  it.effect("a fault of an author's instructions is the end of the run", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([])
      const agent = Agent.make({ id: "a", model: script.model, instructions: () => Promise.reject(new Error(secret)) })
      const all = frames((yield* run(yield* serve({ agents: [agent] }), "a", { message: "hi" })).text)
      assert.deepStrictEqual(kindsOf(all), ["RunStarted", "RunError"])
      assert.notInclude(JSON.stringify(all), "hunter2")
    }))
})
