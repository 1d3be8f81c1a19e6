// Agents that are made for each request.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import * as Agent from "@svc-runtime/features/Agent"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import {
  ask,
  at,
  failed,
  frames,
  get,
  keysOf,
  kindsOf,
  list,
  notFound,
  run,
  runWhole,
  second,
  serve,
  upload
} from "../Wire.ts"
import { id, serving, started, tenant, tenants } from "./Factories.ts"
import { plain, usage } from "./Fixtures.ts"

Tier.oneIn(6)

describe("POST /agents/{id}/runs on a factory", () => {
  it.effect("a run answers with the agent that was made for the request, as recorded", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* upload(server, id, { message: "x", stream: "false", ...tenant("acme") })
      assert.strictEqual(answer.status, 200)
      const other = yield* runWhole(server, "plain", { message: "x" })
      assert.deepStrictEqual(keysOf(answer.json), keysOf(other.json))
      assert.strictEqual(at(answer.json, "agent_id"), id)
      assert.strictEqual(at(answer.json, "content"), "for acme")
      assert.strictEqual(at(answer.json, "created_at"), second)
      assert.strictEqual(at(answer.json, "metrics", "total_tokens"), usage.total_tokens)
    }))

  it.effect("a factory makes another agent for every run", () =>
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

  it.effect("a run of a factory is streamed", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* run(server, id, { message: "x", ...tenant("acme") })
      assert.strictEqual(answer.headers.get("content-type"), "text/event-stream; charset=utf-8")
      const all = frames(answer.text)
      assert.strictEqual(kindsOf(all).at(-1), "RunCompleted")
      assert.strictEqual(at(all.at(-1)?.data, "content"), "for acme")
      assert.isTrue(all.every(({ data }) => data["agent_id"] === id))
    }))

  it.effect("a run of a factory can be in the background", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const names = { message: "x", session_id: "s", run_id: "r", background: "true" }
      assert.strictEqual((yield* runWhole(server, id, { ...names, ...tenant("acme") })).status, 202)
      const poll = get(server, `/agents/${id}/runs/r?session_id=s`)
      const ended = yield* Effect.repeat(poll, { until: ({ json }) => at(json, "status") !== "RUNNING" })
      assert.strictEqual(at(ended.json, "content"), "for acme")
    }))

  it.effect("a factory can return promises and Effects", () =>
    Effect.gen(function*() {
      const later = yield* serving((agent) => new Promise((resolve) => setImmediate(() => resolve(agent))))
      assert.strictEqual(at((yield* runWhole(later, "made", { message: "x" })).json, "content"), "Hello.")
      const effect = yield* serving((agent) => Effect.as(Effect.yieldNow, agent))
      assert.strictEqual(at((yield* runWhole(effect, "made", { message: "x" })).json, "content"), "Hello.")
    }))

  it.effect("the agent gets the id of its factory, with a warning when it has another one", () =>
    Effect.gen(function*() {
      const server = yield* serving((agent) => ({ ...agent, id: "else" as never, name: "else" }))
      const answer = yield* runWhole(server, "made", { message: "x", session_id: "s" })
      assert.deepStrictEqual([at(answer.json, "agent_id"), at(answer.json, "agent_name")], ["made", "made"])
      const warnings = server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message)
      assert.deepStrictEqual(warnings, ["The agent factory 'made' gave the agent 'else', which is called 'made' here"])
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "agent_id"), "made")
      notFound(yield* get(server, "/agents/else"))
    }))

  it.effect("the events of every run of a factory are stored, even of one without a stream", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* runWhole(server, id, { message: "x", session_id: "s", run_id: "r", ...tenant("acme") })
      assert.isUndefined(at(answer.json, "events"))
      const kept = yield* get(server, `/agents/${id}/runs/r?session_id=s`)
      const kinds = list(kept.json, "events").map((event) => at(event, "event"))
      assert.deepStrictEqual([kinds[0], kinds.at(-1)], ["RunStarted", "RunCompleted"])
    }))

  it.effect("the events are stored for a configured agent, where others store none", () =>
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

  it.effect("a missing message is refused before the factory is called", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      failed(yield* runWhole(server, id, tenant("acme")), 422, "VALIDATION_ERROR")
      notFound(yield* runWhole(server, "unknown", { message: "x", ...tenant("acme") }), "Agent not found")
      assert.strictEqual(seen.length, 0)
    }))
})

describe("a factory's id", () => {
  const seeded = Effect.gen(function*() {
    const { seen, server } = yield* started
    yield* run(server, id, { message: "x", session_id: "s", run_id: "r", ...tenant("acme") })
    assert.strictEqual(seen.length, 1)
    return { seen, server }
  })

  it.effect("runs of a factory are read without the factory", () =>
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

  it.effect("a factory is not found where agents are required", () =>
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

  it.effect("a factory is shown with the schema of its input, in its place, without calling it", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const detail = yield* get(server, `/agents/${id}`)
      assert.deepStrictEqual(detail.json, { ...shown, input_schema: schema, factory_input_schema: schema })
      const all = yield* get(server, "/agents")
      assert.deepStrictEqual(list(all.json).map((item) => at(item, "id")), [id, "plain"])
      assert.deepStrictEqual(at(all.json, 0), detail.json)
      assert.strictEqual(seen.length, 0)
    }))

  it.effect("a missing schema is not shown", () =>
    Effect.gen(function*() {
      const server = yield* serving((agent) => agent)
      const { json } = yield* get(server, "/agents/made")
      assert.deepStrictEqual(json, { id: "made", db_id: "main-db", is_factory: true, is_component: false })
    }))

  it.effect("a JSON Schema is shown as it is", () =>
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

  it.effect("factories are counted and named in /config, and their models are unknown", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      assert.strictEqual(at((yield* get(server, "/info")).json, "agent_count"), 2)
      const { db_id, description, name } = shown
      assert.deepStrictEqual(at((yield* get(server, "/config")).json, "agents", 0), { id, name, description, db_id })
      assert.deepStrictEqual((yield* get(server, "/models")).json, [{ id: "scripted", provider: "Scripted" }])
    }))
})

describe("the resolver", () => {
  it.effect("the resolver is a service that another layer can replace", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const { factory, seen } = yield* tenants
      const component = { ...agent, id: factory.id }
      const always = FactoryResolver.of({
        resolve: () => Effect.succeed({ component: component as never, lifetime: undefined, factory_input: undefined })
      })
      const server = yield* serve({ agents: [factory], factories: Layer.succeed(FactoryResolver, always) })
      assert.strictEqual(at((yield* runWhole(server, id, { message: "x" })).json, "content"), "Hello.")
      assert.strictEqual(seen.length, 0)
    }))
})
