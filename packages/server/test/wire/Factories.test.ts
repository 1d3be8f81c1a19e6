// Agents that are made for each request (specification, Factory and factory errors; contract runs §2.6, §13; recorded
// factories).
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentFactory, FactoryPermissionError, FactoryResolver, FactoryValidationError } from "@svc/runtime"
import type * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  type Answer,
  ask,
  at,
  badRequest,
  failed,
  frames,
  get,
  hasKeys,
  kindsOf,
  list,
  notFound,
  run,
  runWhole,
  second,
  serve,
  upload
} from "../Wire.ts"
import { factoryOf, tenant, tenants } from "./Factories.ts"
import { plain, usage } from "./Fixtures.ts"

const id = "tenant-assistant"

const started = Effect.gen(function*() {
  const { factory, seen } = yield* tenants
  const server = yield* serve({ agents: [factory, (yield* plain).agent] })
  return { server, seen }
})

/** Serves one factory, called `made`. */
const serving = Effect.fnUntraced(function*(...build: Parameters<typeof factoryOf>) {
  return yield* serve({ agents: [yield* factoryOf(...build)] })
})

const nothingStored = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const sessions = yield* get(server, "/sessions")
  assert.deepStrictEqual(list(sessions.json, "data"), [])
})

describe("POST /agents/{id}/runs on a factory", () => {
  it.effect("answers with the agent that was made for the request, as recorded", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* upload(server, id, { message: "x", stream: "false", ...tenant("acme") })
      assert.strictEqual(answer.status, 200)
      hasKeys(
        answer.json,
        "run_id",
        "agent_id",
        "agent_name",
        "session_id",
        "content",
        "content_type",
        "model",
        "model_provider",
        "session_state",
        "created_at",
        "status",
        "metrics",
        "messages",
        "input"
      )
      assert.strictEqual(at(answer.json, "agent_id"), id)
      assert.strictEqual(at(answer.json, "content"), "for acme")
      assert.strictEqual(at(answer.json, "created_at"), second)
      assert.strictEqual(at(answer.json, "metrics", "total_tokens"), usage.total_tokens)
    }))

  it.effect("makes another one for every run", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const contents: Array<unknown> = []
      for (const name of ["acme", "globex"]) {
        const answer = yield* runWhole(server, id, { message: "x", session_id: "s", ...tenant(name) })
        contents.push(at(answer.json, "content"))
      }
      assert.deepStrictEqual(contents, ["for acme", "for globex"])
      assert.strictEqual(seen.length, 2)
    }))

  it.effect("streams", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* run(server, id, { message: "x", ...tenant("acme") })
      assert.strictEqual(answer.headers.get("content-type"), "text/event-stream; charset=utf-8")
      const all = frames(answer.text)
      assert.strictEqual(kindsOf(all).at(-1), "RunCompleted")
      assert.strictEqual(at(all.at(-1)?.data, "content"), "for acme")
      assert.isTrue(all.every(({ data }) => data["agent_id"] === id))
    }))

  it.effect("runs in the background", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const names = { message: "x", session_id: "s", run_id: "r", background: "true" }
      assert.strictEqual((yield* runWhole(server, id, { ...names, ...tenant("acme") })).status, 202)
      const poll = get(server, `/agents/${id}/runs/r?session_id=s`)
      const ended = yield* Effect.repeat(poll, { until: ({ json }) => at(json, "status") !== "RUNNING" })
      assert.strictEqual(at(ended.json, "content"), "for acme")
    }))

  it.effect("takes promises and Effects", () =>
    Effect.gen(function*() {
      const later = yield* serving((agent) => new Promise((resolve) => setImmediate(() => resolve(agent))))
      assert.strictEqual(at((yield* runWhole(later, "made", { message: "x" })).json, "content"), "Hello.")
      const effect = yield* serving((agent) => Effect.as(Effect.yieldNow, agent))
      assert.strictEqual(at((yield* runWhole(effect, "made", { message: "x" })).json, "content"), "Hello.")
    }))

  it.effect("calls the agent as the factory is called, whatever it says, and warns", () =>
    Effect.gen(function*() {
      const server = yield* serving((agent) => ({ ...agent, id: "else" as never, name: "else" }))
      const answer = yield* runWhole(server, "made", { message: "x", session_id: "s" })
      assert.deepStrictEqual([at(answer.json, "agent_id"), at(answer.json, "agent_name")], ["made", "made"])
      const warnings = server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message)
      assert.deepStrictEqual(warnings, ["The agent factory 'made' gave the agent 'else', which is called 'made' here"])
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "agent_id"), "made")
      notFound(yield* get(server, "/agents/else"))
    }))

  it.effect("keeps the events of every run, even of one that nobody could watch", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* runWhole(server, id, { message: "x", session_id: "s", run_id: "r", ...tenant("acme") })
      assert.isUndefined(at(answer.json, "events"))
      const kept = yield* get(server, `/agents/${id}/runs/r?session_id=s`)
      const kinds = list(kept.json, "events").map((event) => at(event, "event"))
      assert.deepStrictEqual([kinds[0], kinds.at(-1)], ["RunStarted", "RunCompleted"])
    }))

  it.effect("keeps them as an agent does that is told to, where others keep none", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const keeping = { ...agent, id: "keeping" as never, storeEvents: true }
      const server = yield* serve({ agents: [agent, keeping] })
      const kept = Effect.fnUntraced(function*(id: string) {
        yield* runWhole(server, id, { message: "x", session_id: id, run_id: id })
        return list((yield* get(server, `/agents/${id}/runs/${id}?session_id=${id}`)).json, "events").length
      })
      assert.strictEqual(yield* kept("plain"), 0)
      assert.isAbove(yield* kept("keeping"), 2)
    }))

  it.effect("asks for a message before it asks a factory", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      failed(yield* runWhole(server, id, tenant("acme")), 422, "VALIDATION_ERROR")
      notFound(yield* runWhole(server, "nobody", { message: "x", ...tenant("acme") }), "Agent not found")
      assert.strictEqual(seen.length, 0)
    }))
})

describe("factory_input", () => {
  const refused: ReadonlyArray<readonly [string, string | undefined, string | RegExp]> = [
    ["a value of the wrong type", `{"tenant": 5}`, /^factory_input validation failed: tenant: /],
    ["a missing field", "{}", /^factory_input validation failed: tenant: /],
    ["nothing, where a field is required", undefined, /^factory_input validation failed: tenant: /],
    ["an empty field, which is nothing", "", /^factory_input validation failed: tenant: /],
    ["text that is no JSON", "not json", "factory_input must be valid JSON"],
    ["half an object", `{"tenant":`, "factory_input must be valid JSON"],
    ["white space", "  ", "factory_input must be valid JSON"],
    ["a list", "[1]", "factory_input must be a JSON object, got array"],
    ["a string", `"acme"`, "factory_input must be a JSON object, got string"],
    ["a number", "5", "factory_input must be a JSON object, got number"],
    ["a flag", "true", "factory_input must be a JSON object, got boolean"],
    ["null", "null", "factory_input must be a JSON object, got null"],
    [
      "an object that is nested beyond reason",
      `{"tenant": "acme", "more": ${"[".repeat(400_000)}${"]".repeat(400_000)}}`,
      "factory_input validation failed: it is nested too deep"
    ]
  ]

  for (const [what, text, detail] of refused) {
    it.effect(`is refused before the factory runs, streamed or not: ${what}`, () =>
      Effect.gen(function*() {
        const { seen, server } = yield* started
        const input = text === undefined ? {} : { factory_input: text }
        for (const stream of ["false", "true"]) {
          badRequest(yield* run(server, id, { message: "x", stream, session_id: "s", ...input }), detail)
        }
        assert.strictEqual(seen.length, 0)
        yield* nothingStored(server)
      }))
  }

  it.effect("that is huge is refused by its size", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* tenants
      const server = yield* serve({ agents: [factory], limits: { jsonBody: 1000 } })
      const ask = (name: string) => runWhole(server, id, { message: "x", ...tenant(name) })
      assert.strictEqual((yield* ask("a".repeat(1000 - `{"tenant":""}`.length))).status, 200)
      failed(yield* ask("a".repeat(1000)), 413, "PAYLOAD_TOO_LARGE", "factory_input is larger than 1000 bytes")
      assert.strictEqual(seen.length, 1)
    }))

  it.effect("that is wrong in a million places is answered in a few words", () =>
    Effect.gen(function*() {
      const factory = AgentFactory.make({
        id: "many",
        inputSchema: Schema.Struct({ values: Schema.Array(Schema.String) }),
        build: () => Agent.make({ id: "many" })
      })
      const server = yield* serve({ agents: [factory] })
      const values = Array.from({ length: 100_000 }, () => 1)
      const answer = yield* runWhole(server, "many", { message: "x", factory_input: JSON.stringify({ values }) })
      badRequest(answer, /^factory_input validation failed: values\.0: /)
      assert.isBelow(answer.text.length, 3000)
    }))

  it.effect("has the defaults of its schema when nothing is sent", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const factory = AgentFactory.make({
        id: "made",
        inputSchema: Schema.Struct({
          tenant: Schema.String.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed("nobody")))
        }),
        build: ({ input }) => {
          seen.push(input)
          return Agent.make({ id: "made", model: "fixed" })
        }
      })
      const server = yield* serve({ agents: [factory] })
      assert.strictEqual((yield* runWhole(server, "made", { message: "x" })).status, 200)
      assert.deepStrictEqual(seen, [{ tenant: "nobody" }])
    }))

  it.effect("is the object as it is, or null, where there is no schema", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const server = yield* serving((agent, { input }) => {
        seen.push(input)
        return agent
      })
      yield* runWhole(server, "made", { message: "x" })
      yield* runWhole(server, "made", { message: "x", factory_input: `{"a": [1, {"b": null}]}` })
      badRequest(yield* runWhole(server, "made", { message: "x", factory_input: "[]" }), /got array$/)
      badRequest(yield* runWhole(server, "made", { message: "x", factory_input: "{" }), /valid JSON$/)
      assert.deepStrictEqual(seen, [null, { a: [1, { b: null }] }])
    }))

  it.effect("means nothing to an agent that is there already", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      assert.strictEqual((yield* runWhole(server, "plain", { message: "x", factory_input: "not json" })).status, 200)
    }))

  it.effect("is taken from the form alone", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const path = `/agents/${id}/runs?${new URLSearchParams(tenant("acme"))}`
      const body = new URLSearchParams({ message: "x", stream: "false" })
      badRequest(yield* ask(server, path, { method: "POST", body }), /^factory_input validation failed/)
      assert.strictEqual(seen.length, 0)
    }))
})

/** A factory that fails, and what its failure must not tell anybody. */
const secret = "postgres://user:hunter2@db"
const explode = (): never => {
  throw new Error(secret)
}

const broken = (answer: Answer, how: string) => {
  failed(answer, 500, "INTERNAL_SERVER_ERROR")
  const request_id = String(at(answer.json, "request_id"))
  assert.strictEqual(
    at(answer.json, "detail"),
    `Agent factory error: The agent factory 'made' ${how} (FactoryError). The log says more under request_id ` +
      `${request_id}.`
  )
  assert.notInclude(answer.text, "hunter2")
  return request_id
}

describe("a factory that", () => {
  const failing: ReadonlyArray<readonly [string, string, Parameters<typeof factoryOf>[0]]> = [
    ["throws", "failed", explode],
    ["rejects", "failed", () => Promise.reject(new Error(secret))],
    ["fails", "failed", () => Effect.fail({ message: secret })],
    ["dies", "failed", () => Effect.die(new Error(secret))],
    ["throws text", "failed", () => Promise.reject(secret)],
    ["interrupts itself", "failed", () => Effect.interrupt],
    ["gives nothing", "gave something that is no agent", () => undefined as never],
    ["gives null", "gave something that is no agent", () => null as never],
    ["gives text", "gave something that is no agent", () => secret as never],
    ["gives options", "gave something that is no agent", () => ({ id: "made", instructions: secret }) as never],
    [
      "gives a factory",
      "gave something that is no agent",
      (agent) => AgentFactory.make({ id: "made", build: () => agent }) as never
    ],
    ["gives a promise of nothing", "gave something that is no agent", () => Promise.resolve(undefined as never)]
  ]

  for (const [what, how, build] of failing) {
    it.effect(`${what} is a FactoryError, streamed or not, and only the log knows why`, () =>
      Effect.gen(function*() {
        const server = yield* serving(build)
        for (const stream of ["false", "true"]) {
          const answer = yield* run(server, "made", { message: "x", stream, session_id: "s" })
          const request_id = broken(answer, how)
          const logged = server.logs.filter(({ annotations }) => annotations["request_id"] === request_id)
          assert.deepStrictEqual(logged.map(({ level, message }) => [level, message]), [
            ["ERROR", `The agent factory 'made' ${how}`]
          ])
          if (how === "failed" && what !== "interrupts itself") assert.include(logged[0]?.cause, "hunter2")
        }
        yield* nothingStored(server)
      }))
  }

  it.effect("refuses the caller says so itself, streamed or not", () =>
    Effect.gen(function*() {
      const refusal = new FactoryPermissionError({ message: "Your plan does not include this" })
      const refusals: ReadonlyArray<Parameters<typeof factoryOf>[0]> = [
        () => {
          throw refusal
        },
        () => Promise.reject(refusal),
        () => Effect.fail(refusal),
        () => Effect.die(refusal)
      ]
      for (const build of refusals) {
        const server = yield* serving(build)
        for (const stream of ["false", "true"]) {
          const answer = yield* run(server, "made", { message: "x", stream })
          failed(answer, 403, "FORBIDDEN", "Your plan does not include this")
        }
        yield* nothingStored(server)
      }
    }))

  it.effect("finds its input wrong after all says so itself", () =>
    Effect.gen(function*() {
      const server = yield* serving(() => {
        throw new FactoryValidationError({ message: "there is no tenant 'acme'" })
      })
      const answer = yield* runWhole(server, "made", { message: "x" })
      badRequest(answer, "factory_input validation failed: there is no tenant 'acme'")
    }))

  const hanging: ReadonlyArray<readonly [string, Parameters<typeof factoryOf>[0]]> = [
    ["a promise", () => new Promise(() => {})],
    ["an Effect", () => Effect.never],
    ["an Effect that cannot be interrupted", () => Effect.uninterruptible(Effect.never)]
  ]
  for (const [what, build] of hanging) {
    it.effect(`hangs is given half a minute: ${what}`, () =>
      Effect.gen(function*() {
        const called = yield* Deferred.make<void>()
        const server = yield* serving((agent, context) => {
          Deferred.doneUnsafe(called, Effect.void)
          return build(agent, context)
        })
        const answering = yield* Effect.forkChild(runWhole(server, "made", { message: "x" }))
        yield* Deferred.await(called)
        yield* TestClock.adjust("30 seconds")
        broken(yield* Fiber.join(answering), "did not give its agent within 30s")
        yield* nothingStored(server)
      }))
  }

  it.effect("sets itself a limit has that one", () =>
    Effect.gen(function*() {
      const called = yield* Deferred.make<void>()
      const factory = AgentFactory.make({
        id: "made",
        timeout: "2 seconds",
        build: () => {
          Deferred.doneUnsafe(called, Effect.void)
          return new Promise(() => {})
        }
      })
      const server = yield* serve({ agents: [factory] })
      const answering = yield* Effect.forkChild(runWhole(server, "made", { message: "x" }))
      yield* Deferred.await(called)
      yield* TestClock.adjust("2 seconds")
      broken(yield* Fiber.join(answering), "did not give its agent within 2s")
    }))

  it.effect("makes an agent for a session of another one is not found there", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      yield* runWhole(server, "plain", { message: "x", session_id: "s" })
      notFound(yield* runWhole(server, id, { message: "x", session_id: "s", ...tenant("acme") }))
    }))
})

describe("a factory's id", () => {
  const seeded = Effect.gen(function*() {
    const { seen, server } = yield* started
    yield* run(server, id, { message: "x", session_id: "s", run_id: "r", ...tenant("acme") })
    assert.strictEqual(seen.length, 1)
    return { seen, server }
  })

  it.effect("answers about its runs without the factory", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* seeded
      const one = yield* get(server, `/agents/${id}/runs/r?session_id=s`)
      assert.strictEqual(at(one.json, "content"), "for acme")
      const all = yield* get(server, `/agents/${id}/runs?session_id=s`)
      assert.deepStrictEqual(list(all.json).map((item) => [at(item, "run_id"), at(item, "agent_id")]), [["r", id]])
      const events = yield* get(server, `/agents/${id}/runs/r/events?session_id=s`)
      assert.strictEqual(kindsOf(frames(events.text)).at(-1), "RunCompleted")
      const body = new URLSearchParams({ session_id: "s" })
      const resumed = yield* ask(server, `/agents/${id}/runs/r/resume`, { method: "POST", body })
      assert.match(resumed.text, /event: replay\n/)
      const cancelled = yield* ask(server, `/agents/${id}/runs/r/cancel`, { method: "POST" })
      assert.deepStrictEqual([cancelled.status, cancelled.text], [200, "{}"])
      assert.strictEqual(seen.length, 1)
    }))

  it.effect("is not found where it does not belong", () =>
    Effect.gen(function*() {
      const { server } = yield* seeded
      notFound(yield* get(server, "/agents/plain/runs/r?session_id=s"), "Run not found")
      notFound(yield* get(server, `/agents/${id}/runs/none?session_id=s`), "Run not found")
      notFound(yield* get(server, `/agents/${id}/runs?session_id=none`), "Session not found")
    }))
})

describe("discovery", () => {
  const shown = {
    id,
    name: "Tenant assistant",
    description: "One for each tenant",
    db_id: "main-db",
    is_factory: true,
    is_component: false
  }
  const schema = {
    type: "object",
    properties: { tenant: { type: "string" } },
    required: ["tenant"],
    // what the schema does not name is dropped, and not refused
    additionalProperties: true
  }

  it.effect("shows a factory with the schema of its input, in its place, without calling it", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const detail = yield* get(server, `/agents/${id}`)
      assert.deepStrictEqual(detail.json, { ...shown, input_schema: schema, factory_input_schema: schema })
      const all = yield* get(server, "/agents")
      assert.deepStrictEqual(list(all.json).map((item) => at(item, "id")), [id, "plain"])
      assert.deepStrictEqual(at(all.json, 0), detail.json)
      assert.strictEqual(seen.length, 0)
    }))

  it.effect("shows nothing that is not there", () =>
    Effect.gen(function*() {
      const server = yield* serving((agent) => agent)
      const { json } = yield* get(server, "/agents/made")
      assert.deepStrictEqual(json, { id: "made", db_id: "main-db", is_factory: true, is_component: false })
    }))

  it.effect("shows a JSON Schema as it is", () =>
    Effect.gen(function*() {
      const inputSchema = {
        type: "object",
        properties: { tenant: { type: "string" } },
        required: ["tenant"],
        $comment: ""
      }
      const server = yield* serve({
        agents: [AgentFactory.make({ id: "json", inputSchema, build: () => Agent.make({ id: "json" }) })]
      })
      const { json } = yield* get(server, "/agents/json")
      assert.deepStrictEqual(at(json, "factory_input_schema"), inputSchema)
    }))

  it.effect("counts factories, names them in /config, and knows no model of theirs", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      assert.strictEqual(at((yield* get(server, "/info")).json, "agent_count"), 2)
      const { db_id, description, name } = shown
      assert.deepStrictEqual(at((yield* get(server, "/config")).json, "agents", 0), { id, name, description, db_id })
      assert.deepStrictEqual((yield* get(server, "/models")).json, [{ id: "scripted", provider: "Scripted" }])
    }))
})

describe("the resolver", () => {
  it.effect("is a service that another layer can stand for", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const { factory, seen } = yield* tenants
      const component = { ...agent, id: factory.id }
      const always = FactoryResolver.of({
        resolve: () => Effect.succeed({ component: component as never, lifetime: undefined }),
        resolveAgain: () => Effect.die("not here")
      })
      const server = yield* serve({ agents: [factory], factories: Layer.succeed(FactoryResolver, always) })
      assert.strictEqual(at((yield* runWhole(server, id, { message: "x" })).json, "content"), "Hello.")
      assert.strictEqual(seen.length, 0)
    }))
})
