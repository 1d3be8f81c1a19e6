// Which service a command is about, and what is known of it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import type { CommandFailed } from "../src/CliError.ts"
import * as Discovery from "../src/discovery/Discovery.ts"
import { cli, documentOf, type Machine, type Place, place, worldOf } from "./Cli.ts"
import { alive, fakeService, info, Refusal } from "./FakeService.ts"

const find = (at: Place, machine: Machine, url?: string) => Effect.provide(Discovery.find(url), worldOf(at, machine))

const refused = <A, R>(effect: Effect.Effect<A, CommandFailed, R>) => Effect.flip(effect)

describe("which address is tried", () => {
  it.effect("only the address of --url is tried, without the slashes at its end", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(".env", "PLATFORM_URL=http://localhost:7001")
      const service = fakeService({ "http://localhost:9000": alive(), "http://localhost:7777": alive() })
      const machine = { http: service.http, variables: { PLATFORM_URL: "http://localhost:7002" } }
      const found = yield* find(at, machine, "http://localhost:9000//")
      assert.strictEqual(found.url, "http://localhost:9000")
      assert.strictEqual(found.url_source, "flag")
      assert.strictEqual(found.url_source_file, null)
      assert.deepStrictEqual(service.calls(), [
        "GET http://localhost:9000/health",
        "GET http://localhost:9000/info"
      ])
    }))

  it.effect("PLATFORM_URL is tried before env files, and an empty one is ignored", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(".env", "PLATFORM_URL=http://localhost:7001")
      const { http } = fakeService({ "http://localhost:7001": alive(), "http://localhost:7002": alive() })
      const found = yield* find(at, { http, variables: { PLATFORM_URL: "http://localhost:7002" } })
      assert.strictEqual(found.url_source, "env")
      const other = yield* find(at, { http, variables: { PLATFORM_URL: "" } }, "")
      assert.strictEqual(other.url, "http://localhost:7001")
      assert.strictEqual(other.url_source, "env-file")
      assert.strictEqual(other.url_source_file, ".env")
    }))

  it.effect("an address of slashes only is invalid", () =>
    Effect.gen(function*() {
      const { http } = fakeService({ "http://localhost:7777": alive() })
      const ran = yield* cli(["status", "--url", "/", "--json"], yield* place, { http })
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "Invalid service URL")
    }))

  it.effect("the file .env.production is tried before .env, unless its address is only slashes", () =>
    Effect.gen(function*() {
      const at = yield* place
      const { http } = fakeService({ "http://localhost:7001": alive(), "http://localhost:7002": alive() })
      at.write(".env", "PLATFORM_URL=http://localhost:7001/")
      at.write(".env.production", "PLATFORM_URL=http://localhost:7002")
      assert.strictEqual((yield* find(at, { http })).url_source_file, ".env.production")
      at.write(".env.production", "PLATFORM_URL=//")
      assert.strictEqual((yield* find(at, { http })).url_source_file, ".env")
    }))

  it.effect("no other address is tried when the address of an env file does not respond", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(".env", "PLATFORM_URL=http://localhost:7001")
      const service = fakeService({ "http://localhost:7777": alive() })
      const error = yield* refused(find(at, { http: service.http }))
      assert.include(error.message, "No running")
      assert.include(
        error.message,
        "(tried: http://localhost:7001 (from PLATFORM_URL in .env)): connect ECONNREFUSED"
      )
      assert.include(error.hint ?? "", ".env")
      assert.include(error.hint ?? "", "--url")
      assert.deepStrictEqual(service.calls(), ["GET http://localhost:7001/health"])
    }))

  it.effect("the usual ports are tried in their order, and the first that responds is used", () =>
    Effect.gen(function*() {
      const at = yield* place
      const service = fakeService({ "http://localhost:7779": alive(), "http://localhost:8000": alive() })
      const found = yield* find(at, { http: service.http })
      assert.strictEqual(found.url, "http://localhost:7779")
      assert.strictEqual(found.url_source, "default")
      const error = yield* refused(find(at, {}))
      for (
        const text of ["http://localhost:7777, http://localhost:7778, http://localhost:7779, http://localhost:8000"]
      ) {
        assert.include(error.message, text)
      }
      for (const text of ["--url", "PLATFORM_URL", ".env.production"]) assert.include(error.hint ?? "", text)
    }))

  it.effect("the PORT of the service in .env is tried instead of the usual ones, unless it is no port", () =>
    Effect.gen(function*() {
      const at = yield* place
      const service = fakeService({ "http://localhost:7777": alive(), "http://localhost:7941": alive() })
      at.write(".env", "# of the service\nPORT=7941")
      const found = yield* find(at, { http: service.http })
      assert.strictEqual(found.url, "http://localhost:7941")
      assert.strictEqual(found.url_source, "default")
      assert.strictEqual(found.url_source_file, ".env")
      for (const port of ["0", "70000", "7941@far.example", "http"]) {
        at.write(".env", `PORT=${port}`)
        assert.strictEqual((yield* find(at, { http: service.http })).url, "http://localhost:7777")
      }
      at.write(".env", "PORT=7942")
      const error = yield* refused(find(at, { http: service.http }))
      assert.include(error.message, "(tried: http://localhost:7942 (from PORT in .env)): ")
      assert.strictEqual(
        error.hint,
        "Start it in this folder, such as with npm start, or name another service with --url or PLATFORM_URL."
      )
    }))

  it.effect("the error for an invalid address says where it was set", () =>
    Effect.gen(function*() {
      const at = yield* place
      const byFlag = yield* refused(find(at, {}, "http://localhost:99999"))
      assert.include(byFlag.message, "Invalid service URL: http://localhost:99999")
      assert.include(byFlag.hint ?? "", "--url")
      at.write(".env", "PLATFORM_URL=http://[::1")
      const byFile = yield* refused(find(at, {}))
      assert.include(byFile.message, "Invalid service URL: http://[::1 (from PLATFORM_URL in .env)")
      assert.include(byFile.hint ?? "", ".env")
      const without = yield* refused(find(at, {}, "localhost:7777"))
      assert.include(without.message, "No running")
    }))

  it.effect("an env file that is not text is ignored", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(".env", "PLATFORM_URL=http://localhost:7001")
      at.writeBytes(".env.production", Uint8Array.of(0x50, 0xFF, 0xFE))
      const { http } = fakeService({ "http://localhost:7001": alive() })
      assert.strictEqual((yield* find(at, { http })).url_source_file, ".env")
    }))

  it.effect("env files are read and never loaded into the environment", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(".env", "SVC_TEST_NEVER_LOADED=1\nPLATFORM_URL=http://localhost:7001")
      yield* refused(find(at, {}))
      assert.strictEqual(process.env["SVC_TEST_NEVER_LOADED"], undefined)
      assert.strictEqual(process.env["PLATFORM_URL"], undefined)
    }))
})

describe("what responds", () => {
  const at7777 = "http://localhost:7777"
  const described = (routes: Record<string, unknown>) =>
    Effect.gen(function*() {
      const service = fakeService({ [at7777]: routes })
      const found = yield* find(yield* place, { http: service.http }, at7777)
      return { found, service }
    })

  it.effect("the description that a service gives of itself is used", () =>
    Effect.gen(function*() {
      const { found } = yield* described(alive({ auth_mode: "jwt" }))
      assert.deepStrictEqual(found, {
        url: at7777,
        name: "Svc",
        os_id: "svc",
        version: "1.2.3",
        mcp: { enabled: true, path: "/mcp", oauth: null },
        auth_mode: "jwt",
        discovered_via: "info",
        url_source: "flag",
        url_source_file: null
      })
    }))

  it.effect("a missing field is null, an invalid one is left out, an unknown mode is passed on", () =>
    Effect.gen(function*() {
      const { found } = yield* described({
        "GET /health": {},
        "GET /info": {
          name: "",
          os_id: 7,
          mcp: { enabled: true, oauth: { authorization_servers: ["https://a", 1, null], resource: 5 } },
          auth_mode: "carrier-pigeon"
        }
      })
      assert.strictEqual(found.name, null)
      assert.strictEqual(found.os_id, null)
      assert.strictEqual(found.version, null)
      assert.strictEqual(found.auth_mode, "carrier-pigeon")
      assert.deepStrictEqual(found.mcp, {
        enabled: true,
        path: "/mcp",
        oauth: { authorization_servers: ["https://a"], resource: null }
      })
      const off = yield* described({
        "GET /health": {},
        "GET /info": info({ mcp: { enabled: false, oauth: { authorization_servers: null } }, version: undefined })
      })
      assert.deepStrictEqual(off.found.mcp, {
        enabled: false,
        path: "/mcp",
        oauth: { authorization_servers: [], resource: null }
      })
      assert.strictEqual(off.found.version, "2.7.2")
    }))

  it.effect("a service is alive when it responds with 200 and an object", () =>
    Effect.gen(function*() {
      const reasons = yield* Effect.forEach(
        [{ "GET /health": new Refusal(503, {}) }, { "GET /health": "<html>" }],
        (routes) => refused(Effect.flatMap(place, (at) => find(at, fakeService({ [at7777]: routes }), at7777)))
      )
      assert.include(reasons[0]?.message ?? "", `(tried: ${at7777}): HTTP 503 from ${at7777}/health`)
      assert.include(reasons[1]?.message ?? "", "no JSON object")
      for (const health of ["[]", "ok", "null", new Refusal(204, ""), new Refusal(503, {}), new Refusal(201, {})]) {
        const { http } = fakeService({ [at7777]: { ...alive(), "GET /health": health } })
        const error = yield* refused(find(yield* place, { http }, at7777))
        assert.include(error.message, "No running")
      }
    }))

  it.effect("an older service is probed for MCP and its authorization, without any credential", () =>
    Effect.gen(function*() {
      const older = { "GET /health": {}, "GET /info": { agno_version: "2.0.0" } }
      const detail = (text: string) => new Refusal(401, { detail: text })
      const modes: ReadonlyArray<readonly [config: unknown, mode: string]> = [
        [{}, "none"],
        [detail("Authorization header required"), "security_key"],
        [detail("REQUIRED"), "security_key"],
        [detail("Authorization header missing"), "jwt"],
        [new Refusal(403, { detail: "required" }), "unknown"],
        [new Refusal(500, {}), "unknown"]
      ]
      for (const [config, mode] of modes) {
        const { found, service } = yield* described({
          ...older,
          "GET /config": config,
          "POST /mcp": new Refusal(406, {})
        })
        assert.strictEqual(found.auth_mode, mode)
        assert.strictEqual(found.discovered_via, "probe")
        assert.strictEqual(found.version, "2.0.0")
        assert.deepStrictEqual(found.mcp, { enabled: true, path: "/mcp", oauth: null })
        const ping = service.requests.find(({ method }) => method === "POST")
        assert.deepStrictEqual(JSON.parse(ping?.body ?? ""), { jsonrpc: "2.0", id: 0, method: "ping" })
        assert.strictEqual(ping?.headers.get("accept"), "application/json, text/event-stream")
        for (const { headers } of service.requests) assert.isNull(headers.get("authorization"))
      }
      const { found } = yield* described({ ...older, "GET /config": {} })
      assert.deepStrictEqual(found.mcp, { enabled: false, path: "/mcp", oauth: null })
    }))

  it.effect("a host that does not respond costs five seconds", () =>
    Effect.gen(function*() {
      const never = () => new Promise<Response>(() => undefined)
      const fiber = yield* Effect.forkChild(
        Effect.flip(find(yield* place, { http: never }, at7777)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("4900 millis")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("200 millis")
      assert.include((yield* Fiber.join(fiber)).message, "No running")
    }))
})

describe("choosing at a terminal", () => {
  const services = () =>
    fakeService({
      "http://localhost:7777": alive({ name: "One" }),
      "http://localhost:7779": alive({ name: "[Two]" }),
      "https://far.example": alive(),
      "https://odd.example": { "GET /health": {}, "GET /info": {} }
    })
  const more = [
    { url: "https://far.example", source: "client-config", file: "Cursor" },
    { url: "https://odd.example", source: "client-config", file: "Codex" },
    { url: "http://127.0.0.1:7777", source: "client-config", file: "Codex" }
  ] as const

  it.effect("all services that respond are offered, with their addresses, names and sources", () =>
    Effect.gen(function*() {
      const { requests, http } = services()
      const machine: Machine = {
        http,
        terminal: true,
        replies: ["https://far.example    remote  \"Svc\" (configured in Cursor)"]
      }
      const found = yield* Effect.provide(
        Discovery.choose(undefined, more, "Connect to"),
        worldOf(yield* place, machine)
      )
      assert.strictEqual(found.url, "https://far.example")
      assert.strictEqual(found.url_source, "client-config")
      // what does not describe itself may be anybody's, and is not probed
      assert.isFalse(requests.some(({ method }) => method === "POST"))
    }))

  it.effect("the only service that responds is taken without a question, with a warning when the env file named another", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(".env", "PLATFORM_URL=http://localhost:7001")
      const { http } = fakeService({ "http://localhost:7777": alive() })
      const [found, warned] = yield* Effect.all([
        Discovery.choose(undefined, [], "Connect to"),
        TestConsole.errorLines
      ]).pipe(Effect.provide(worldOf(at, { http, terminal: true })))
      assert.strictEqual(found.url, "http://localhost:7777")
      assert.match(String(warned[0]), /http:\/\/localhost:7001 \(from PLATFORM_URL in \.env\) did not respond/)
    }))

  it.effect("a script is not asked, and gets the first service", () =>
    Effect.gen(function*() {
      const { http } = services()
      const found = yield* Effect.provide(
        Discovery.choose(undefined, more, "Connect to"),
        worldOf(yield* place, { http })
      )
      assert.strictEqual(found.url, "http://localhost:7777")
    }))
})
