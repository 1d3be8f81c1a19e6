// status: what is shown of a service and of the clients that know it.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf, type Place, place } from "./Cli.ts"
import { alive, fakeService, info, Refusal } from "./FakeService.ts"

const at7777 = "http://localhost:7777"

interface Client {
  readonly client: string
  readonly detected: boolean
  readonly configured: boolean
  readonly location: string | null
}

interface Document {
  readonly os: { readonly url: string; readonly auth_mode: string }
  readonly clients: ReadonlyArray<Client>
}

const cursor = (at: Place, text: string): string => {
  mkdirSync(join(at.home, ".cursor"), { recursive: true })
  const file = join(at.home, ".cursor", "mcp.json")
  writeFileSync(file, text)
  return file
}

/** The clock moves while the command waits. */
const passing = <A, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    command,
    Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.promise(() => new Promise(setImmediate))))
  )

describe("svc status", () => {
  it.effect("status shows the four clients in their order, and entries with the service's name, whatever their address", () =>
    Effect.gen(function*() {
      const at = yield* place
      const file = cursor(at, JSON.stringify({ mcpServers: { "acme-prod": { url: "https://elsewhere/mcp" } } }))
      mkdirSync(join(at.home, ".codex"))
      const service = fakeService({ [at7777]: alive({ name: "Acme.Prod" }) })
      const machine = { http: service.http, variables: { PATH: at.bin, PLATFORM_ADMIN_TOKEN: "never sent" } }
      const ran = yield* cli(["status", "--json"], at, machine)
      const { clients, os } = documentOf<Document>(ran)
      assert.strictEqual(ran.code, 0)
      assert.strictEqual(os.url, at7777)
      assert.deepStrictEqual(clients, [
        { client: "cli-assistant", detected: false, configured: false, location: null },
        { client: "desktop-assistant", detected: false, configured: false, location: null },
        { client: "terminal-assistant", detected: true, configured: false, location: null },
        { client: "editor-assistant", detected: true, configured: true, location: file }
      ])
      for (const { headers } of service.requests) {
        assert.isNull(headers.get("authorization"))
        assert.match(headers.get("user-agent") ?? "", /^svcctl\/\d/)
        assert.isNull(headers.get("traceparent"))
      }
      assert.deepStrictEqual(service.calls(), [`GET ${at7777}/health`, `GET ${at7777}/info`])
    }))

  it.effect("status says why the description of a service could not be read, and an older service has none", () =>
    Effect.gen(function*() {
      const at = yield* place
      const cases: ReadonlyArray<readonly [response: unknown, problem: string | undefined]> = [
        [new Refusal(500, { detail: "odd" }), "HTTP 500"],
        ["no object", "no JSON object"],
        [new Refusal(404, {}), undefined],
        [{ agno_version: "2.0.0" }, undefined]
      ]
      for (const [response, problem] of cases) {
        const { http } = fakeService({ [at7777]: { "GET /health": {}, "GET /info": response, "GET /config": {} } })
        const { os } = documentOf<{ readonly os: { readonly info_error?: string } }>(
          yield* cli(["status", "--json"], at, { http })
        )
        assert.strictEqual(os.info_error, problem)
        const { stdout } = yield* cli(["status"], at, { http })
        assert.strictEqual(
          stdout.includes(`Problem:    ${at7777}/info could not be read: ${problem}`),
          problem !== undefined
        )
      }
    }))

  it.effect("status takes the entry's name from --server-name", () =>
    Effect.gen(function*() {
      const at = yield* place
      cursor(at, JSON.stringify({ mcpServers: { own: { url: "https://elsewhere/mcp" } } }))
      const { http } = fakeService({ [at7777]: alive() })
      const ran = yield* cli(["status", "--server-name", "own", "--json"], at, { http })
      assert.isTrue(documentOf<Document>(ran).clients.at(-1)?.configured)
    }))

  it.effect("status works with unreadable configs and with a remote address of an env file", () =>
    Effect.gen(function*() {
      const at = yield* place
      cursor(at, "\uFFFD{ not json")
      at.write(".env", "PLATFORM_URL=http://far.example")
      const { http } = fakeService({ "http://far.example": alive() })
      const ran = yield* cli(["status", "--json"], at, { http })
      assert.strictEqual(ran.code, 0)
      assert.isFalse(documentOf<Document>(ran).clients.at(-1)?.configured)
    }))

  it.effect("status shows people the address, its source, version, MCP and authorization", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(".env", `PLATFORM_URL=${at7777}`)
      const file = cursor(at, JSON.stringify({ mcpServers: { svc: { url: `${at7777}/mcp` } } }))
      const mcp = { enabled: true, path: "tools/mcp", oauth: { authorization_servers: ["https://sign.in"] } }
      const { http } = fakeService({ [at7777]: alive({ mcp, auth_mode: "jwt", name: "[x] Svc" }) })
      const { stderr, stdout } = yield* cli(["status", "--server-name", "svc"], at, {
        http,
        variables: { PATH: at.bin }
      })
      assert.strictEqual(stderr, "")
      for (
        const text of [
          `${at7777} (from PLATFORM_URL in .env)`,
          "[x] Svc",
          "1.2.3",
          `${at7777}/tools/mcp`,
          "Auth mode:  jwt",
          "OAuth via https://sign.in",
          "not detected",
          `configured (${file})`
        ]
      ) assert.include(stdout, text)
      const off = fakeService({ [at7777]: alive({ mcp: { enabled: false, oauth: { authorization_servers: null } } }) })
      const shown = yield* cli(["status"], at, { http: off.http })
      assert.match(shown.stdout, /MCP: +disabled/)
      assert.match(shown.stdout, /MCP auth: +token-protected/)
    }))

  it.effect("status ends with 1 when no service responds", () =>
    Effect.gen(function*() {
      const ran = yield* cli(["status", "--json"], yield* place)
      assert.strictEqual(ran.code, 1)
      assert.deepStrictEqual(Object.keys(documentOf(ran)), ["error", "hint"])
    }))

  it.effect("a service that responds and is not ready is an error of its own, unless another one is ready", () =>
    Effect.gen(function*() {
      const starting = { ...alive(), "GET /info": new Refusal(503, { detail: "The service is starting" }) }
      const service = fakeService({ [at7777]: starting })
      const ran = yield* passing(cli(["status", "--json"], yield* place, { http: service.http }))
      assert.strictEqual(ran.code, 1)
      const { error, hint } = documentOf(ran)
      assert.strictEqual(error, `The service at ${at7777} is not ready: The service is starting`)
      assert.include(hint ?? "", `${at7777}/ready`)
      // it is not taken for an older one
      assert.notInclude(service.calls().join(), "/mcp")
      const { http } = fakeService({ [at7777]: starting, "http://localhost:8000": alive() })
      const other = yield* cli(["status", "--json"], yield* place, { http })
      assert.strictEqual(documentOf<Document>(other).os.url, "http://localhost:8000")
    }))

  it.effect("a service that is starting is waited for, and a line says so", () =>
    Effect.gen(function*() {
      let requests = 0
      const { http } = fakeService({
        [at7777]: {
          ...alive(),
          "GET /info": () => ++requests < 4 ? new Refusal(503, { detail: "The service is starting" }) : info()
        }
      })
      const ran = yield* passing(cli(["status"], yield* place, { http }))
      assert.strictEqual(ran.code, 0)
      assert.include(ran.stderr, `The service at ${at7777} is starting`)
    }))

  it.effect("control characters and line breaks of the service's name are not printed", () =>
    Effect.gen(function*() {
      const name = "a\u001B[2J\u0007\r\u009Bb\nService:    https://evil\u202E"
      const { http } = fakeService({ [at7777]: alive({ name }) })
      const { stdout } = yield* cli(["status"], yield* place, { http })
      assert.include(stdout, "Name:       a\\u001b[2J\\u0007\\u000d\\u009bb Service:    https://evil\\u202e\n")
      const ran = yield* cli(["status", "--json"], yield* place, { http })
      assert.strictEqual(documentOf<{ os: { name: string } }>(ran).os.name, name)
    }))
})
