// The last resort (decisions 1, 2): a fault is a 500 that says nothing but an id, and the log has the cause under it. A
// database that does not answer is a 503.
import { assert, describe, it } from "@effect/vitest"
import { Agent, type Database, StorageUnavailable, Team, Workflow } from "@svc/runtime"
import * as Script from "@svc/testing/ScriptedModel"
import { Effect, Fiber } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { ask, at, failed, frames, get, kindsOf, leak, post, run, runWhole, send, serve, uuid } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

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

  it.effect.each(["/fault", "/odd", "/thrown"])(
    "GET %s is 500 in general words, and the log has the cause",
    (path) =>
      Effect.gen(function*() {
        const server = yield* serve({ routes })
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
      const server = yield* serve({ routes })
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

  it.effect.each(paths)("of a store are 500 at GET %s", (path) =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], database: broken })
      const answer = yield* get(server, path)
      failed(answer, 500, "INTERNAL_SERVER_ERROR")
      assert.notInclude(answer.text, "hunter2")
    }))

  it.effect("of a store are 500 where something is written", () =>
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

describe("a database that does not answer", () => {
  it.effect("is 503 everywhere, and says to try again", () =>
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

  /** That does not take the end of a run until it is told to. */
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

  it.effect("at the end of a run keeps its caller waiting, and never answers with what is not stored", () =>
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

  it.effect("at the end of a stream keeps it open, and shows no end that is not stored", () =>
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
  const dies = (database: Database): Database => ({
    ...database,
    runs: { ...database.runs, finish: () => fault(secret) }
  })

  it.effect("are 500 when the caller waits for its output", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], database: dies })
      const answer = yield* runWhole(server, "plain", { message: "hi" })
      failed(answer, 500, "INTERNAL_SERVER_ERROR")
    }))

  it.effect("end a stream with an error that tells nothing, and are logged", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], database: dies })
      const { text } = yield* run(server, "plain", { message: "hi" })
      const last = text.slice(text.lastIndexOf("event: "))
      const id = /request_id ([-0-9a-f]{36})/.exec(last)?.[1]
      assert.match(last, /^event: RunError\ndata: \{[^\n]+\}\n\n$/)
      assert.notInclude(text, "hunter2")
      assert.notMatch(text, leak)
      const logged = server.logs.find(({ annotations }) => annotations["request_id"] === id)
      assert.include(logged?.cause ?? "", "hunter2")
    }))

  it.effect("end the stream of a team or a workflow with an error of their own kind", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const server = yield* serve({
        teams: [Team.make({ id: "t", model: agent.model, members: [agent] })],
        workflows: [Workflow.make({ id: "w", run: () => "done" })],
        database: dies
      })
      const lastOf = Effect.fnUntraced(function*(path: string) {
        const { text } = yield* ask(server, path, { method: "POST", body: new URLSearchParams({ message: "hi" }) })
        return text.slice(text.lastIndexOf("event: "))
      })
      const said = "The service failed\\. Its log says more under request_id [-0-9a-f]{36}\\."
      const last = (event: string, field: string, type: string) =>
        new RegExp(`^event: ${event}\ndata: {"event":"${event}","${field}":"${said}","error_type":"${type}"}\n\n$`)
      assert.match(yield* lastOf("/teams/t/runs"), last("TeamRunError", "content", "team_run_error"))
      assert.match(yield* lastOf("/workflows/w/runs"), last("WorkflowError", "error", "workflow_run_error"))
    }))

  it.effect("of an author's instructions are the run's own end", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([])
      const agent = Agent.make({ id: "a", model: script.model, instructions: () => Promise.reject(new Error(secret)) })
      const all = frames((yield* run(yield* serve({ agents: [agent] }), "a", { message: "hi" })).text)
      assert.deepStrictEqual(kindsOf(all), ["RunStarted", "RunError"])
      assert.notInclude(JSON.stringify(all), "hunter2")
    }))
})
