// What the service says of itself.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { features } from "@svc-runtime/features/features"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { always, ask, at, column, get, hasKeys, keysOf, list, notFound, serve } from "../Wire.ts"

Tier.oneIn(12)

const agents = Effect.gen(function*() {
  const { model } = yield* always(Script.text("Hello."))
  const other = { ...model, id: "scripted-2" }
  return [
    Agent.make({
      id: "assistant",
      name: "Assistant",
      model,
      description: "Answers questions",
      metadata: { team: "a" }
    }),
    Agent.make({ id: "plain", model }),
    Agent.make({ id: "second", model: other })
  ]
})

describe("system", () => {
  it.effect("GET / gives name, id and version", () =>
    Effect.gen(function*() {
      const server = yield* serve({ settings: { id: "my-os", name: "Mine", version: "3.2.1" } })
      const answer = yield* get(server, "/")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(answer.json, { name: "Mine API", id: "my-os", version: "3.2.1" })
    }))

  it.effect("GET /health gives the moment the process started, and never changes it", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const answer = yield* get(server, "/health")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, { status: "ok", instantiated_at: "2026-11-21T01:10:12.670Z" })
      assert.deepStrictEqual((yield* get(server, "/health")).json, answer.json)
    }))

  it.effect("GET /health leaves a fraction of zero out", () =>
    Effect.gen(function*() {
      const server = yield* serve({ settings: { startedAt: 1_795_223_413_000 } })
      assert.strictEqual(at((yield* get(server, "/health")).json, "instantiated_at"), "2026-11-21T01:10:13Z")
    }))

  it.effect("GET /info counts the components, keeps nulls, and carries both versions", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents })
      const answer = yield* get(server, "/info")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, {
        os_id: "svc",
        name: "Svc",
        version: "0.1.0",
        agno_version: "2.7.2",
        agent_count: 3,
        team_count: 0,
        workflow_count: 0,
        mcp: { enabled: true, path: "/mcp", oauth: null },
        auth_mode: "none",
        features: features.map(({ name }) => name)
      })
    }))

  it.effect("GET /config names databases and their session tables, and every agent in short", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, databases: ["main-db", "other-db"] })
      const { json, status } = yield* get(server, "/config")
      assert.strictEqual(status, 200)
      const named = (id: string) => ({ db_id: id, domain_config: { display_name: id }, tables: ["svc_sessions"] })
      assert.deepStrictEqual(at(json, "session"), { dbs: [named("main-db"), named("other-db")] })
      const traces = { dbs: [{ db_id: "main-db", domain_config: { display_name: "main-db" } }] }
      assert.deepStrictEqual(at(json, "traces"), traces, "clients look for traces in these databases")
      assert.deepStrictEqual(at(json, "databases"), ["main-db", "other-db"])
      assert.strictEqual(at(json, "os_database"), "main-db")
      assert.deepStrictEqual(at(json, "available_models"), [])
      assert.deepStrictEqual(at(json, "knowledge"), { dbs: [], knowledge_instances: [] })
      const model = { id: "scripted", provider: "Scripted" }
      assert.deepStrictEqual(at(json, "agents"), [
        {
          id: "assistant",
          name: "Assistant",
          description: "Answers questions",
          db_id: "main-db",
          model,
          metadata: { team: "a" }
        },
        { id: "plain", name: "plain", db_id: "main-db", model },
        { id: "second", name: "second", db_id: "main-db", model: { ...model, id: "scripted-2" } }
      ])
      for (const empty of ["teams", "workflows"]) assert.deepStrictEqual(at(json, empty), [])
    }))

  it.effect("GET /config lists the protocols that are served, with their routes", () =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* serve(), "/config")
      assert.deepInclude(list(json, "interfaces"), { type: "agui", version: "1.0", route: "/agents/{id}/agui" })
      const protocols = { ...defaultProtocols, agui: { enabled: false } }
      const without = yield* get(yield* serve({ settings: { protocols } }), "/config")
      assert.notInclude(column(at(without.json, "interfaces"), "type"), "agui")
    }))

  it.effect("GET /config leaves out what is not configured", () =>
    Effect.gen(function*() {
      const bare = yield* get(yield* serve(), "/config")
      const domains = ["session", "metrics", "memory", "learning", "knowledge", "evals", "traces"]
      const components = ["agents", "teams", "workflows", "interfaces"]
      const always = ["os_id", "name", "available_models", "os_database", "databases", ...domains, ...components]
      hasKeys(bare.json, ...always)
      const manifest = { a: { description: "Answers", labels: ["new"], quick_prompts: ["Hi"] }, b: {} }
      const server = yield* serve({
        settings: { description: "Ours", availableModels: ["openai:gpt-5"], quickPrompts: { a: ["Hi"] }, manifest }
      })
      const full = yield* get(server, "/config")
      hasKeys(full.json, ...always, "description", "chat", "manifest")
      assert.deepStrictEqual(at(full.json, "manifest"), manifest)
      assert.deepStrictEqual(at(full.json, "chat"), { quick_prompts: { a: ["Hi"] } })
      assert.deepStrictEqual(at(full.json, "available_models"), ["openai:gpt-5"])
    }))

  it.effect("GET /config has the names that the application gives its parts and databases", () =>
    Effect.gen(function*() {
      const displayNames = { session: "Conversations", knowledge: "Library", databases: { "main-db": "Main" } }
      const server = yield* serve({ databases: ["main-db", "north-db"], settings: { displayNames } })
      const { json } = yield* get(server, "/config")
      assert.strictEqual(at(json, "session", "display_name"), "Conversations")
      assert.strictEqual(at(json, "knowledge", "display_name"), "Library")
      assert.notProperty(at(json, "memory"), "display_name")
      const names = list(json, "session", "dbs").map((db) => [at(db, "db_id"), at(db, "domain_config", "display_name")])
      assert.deepStrictEqual(names, [["main-db", "Main"], ["north-db", "north-db"]])
    }))

  it.effect("GET /models names each model of the agents once", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents })
      const answer = yield* get(server, "/models")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, [
        { id: "scripted", provider: "Scripted" },
        { id: "scripted-2", provider: "Scripted" }
      ])
      assert.deepStrictEqual((yield* get(yield* serve(), "/models")).json, [])
    }))
})

describe("documentation", () => {
  it.effect("GET /openapi.json is OpenAPI 3.1 and carries the API version", () =>
    Effect.gen(function*() {
      const { json, status } = yield* get(yield* serve(), "/openapi.json")
      assert.strictEqual(status, 200)
      assert.match(String(at(json, "openapi")), /^3\.1\./)
      assert.strictEqual(at(json, "info", "version"), "2.7.2")
      assert.includeMembers([...keysOf(at(json, "paths"))], [
        "/",
        "/agents/{agent_id}/runs",
        "/sessions/{session_id}/runs/{run_id}"
      ])
    }))

  it.effect("GET /openapi.json shows errors as clients see them: one body, no tag", () =>
    Effect.gen(function*() {
      const { json, text } = yield* get(yield* serve(), "/openapi.json")
      assert.notInclude(text, "\"_tag\"")
      hasKeys(at(json, "components", "schemas", "ErrorResponse", "properties"), "detail", "error_code")
      hasKeys(
        at(json, "components", "schemas", "ValidationErrorResponse", "properties"),
        "detail",
        "error_code",
        "errors"
      )
    }))

  it.effect("GET / is a page with links for browsers, and JSON for all others", () =>
    Effect.gen(function*() {
      const server = yield* serve({ settings: { name: "Desk <&>", description: "Answers." } })
      const page = yield* ask(server, "/", { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } })
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      assert.include(page.text, "<h1>Desk &lt;&amp;&gt;</h1>")
      const links = Array.from(page.text.matchAll(/href="([^"]+)"/g), ([, path]) => path ?? "")
      assert.deepStrictEqual(links.slice(0, 5), ["/console/", "/docs", "/redoc", "/openapi.json", "/agents"])
      for (const path of links) assert.strictEqual((yield* get(server, path)).status, 200, path)
      for (const accept of ["*/*", "application/json"]) {
        const { json } = yield* ask(server, "/", { headers: { accept } })
        assert.strictEqual(at(json, "name"), "Desk <&> API")
      }
    }))

  it.effect("the page at / names no path that the service does not serve", () =>
    Effect.gen(function*() {
      const server = yield* serve({ settings: { docs: false, mcp: { enabled: false } } })
      const { text } = yield* ask(server, "/", { headers: { accept: "text/html" } })
      for (const path of ["/docs", "/redoc", "/openapi.json", "/mcp"]) assert.notInclude(text, path)
    }))

  it.effect("GET /redoc cannot ask other hosts, and shows nothing of them", () =>
    Effect.gen(function*() {
      const { headers, text } = yield* get(yield* serve(), "/redoc")
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'self' 'unsafe-inline'/)
      assert.include(text, "\"withDefaultFonts\":false")
      assert.include(text, "\"hideClientButton\":true")
    }))

  it.effect.each(["/", "/docs", "/docs/oauth2-redirect", "/redoc", "/console/"])(
    "no page of another origin can frame %s",
    (path) =>
      Effect.gen(function*() {
        const { headers, status } = yield* ask(yield* serve(), path, { headers: { accept: "text/html" } })
        assert.strictEqual(status, 200)
        assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/)
      })
  )

  it.effect("GET /docs sends JSON lines as they are, and not as one quoted string", () =>
    Effect.gen(function*() {
      const { text } = yield* get(yield* serve(), "/docs")
      const [, source = ""] = /requestInterceptor: (\(request\) => \{[^]*?\n {8}\}),/.exec(text) ?? []
      const intercept = new Function(`return ${source}`)() as (request: object) => object
      const lines = `{"input":"a"}\n{"input":"b"}\n`
      const headers = { "Content-Type": "application/x-ndjson" }
      for (const body of [lines, JSON.stringify(lines)]) {
        assert.deepStrictEqual(intercept({ headers, body }), { headers, body: lines })
      }
      const other = { headers: { "Content-Type": "application/json" }, body: `"text"` }
      assert.deepStrictEqual(intercept({ ...other }), other)
    }))

  it.effect.each(["/docs", "/redoc", "/docs/oauth2-redirect"])(
    "GET %s is a page that loads nothing from elsewhere",
    (path) =>
      Effect.gen(function*() {
        const answer = yield* get(yield* serve(), path)
        assert.strictEqual(answer.status, 200)
        assert.match(answer.headers.get("content-type") ?? "", /^text\/html/)
        assert.match(answer.text, /^<!doctype html>/i)
        assert.notMatch(answer.text, /<(script|link)[^>]+(src|href)="https?:/)
      })
  )

  it.effect("the paths of the documentation are not found when it is turned off", () =>
    Effect.gen(function*() {
      const server = yield* serve({ settings: { docs: false } })
      for (const path of ["/docs", "/redoc", "/openapi.json", "/docs/oauth2-redirect"]) {
        notFound(yield* get(server, path), "Not Found")
      }
      assert.strictEqual((yield* get(server, "/health")).status, 200)
    }))
})
