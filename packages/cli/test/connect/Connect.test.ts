// `svc connect`, from the words of the command line to the bytes in the clients' files, and what it does when that
// fails.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import { cli, documentOf } from "../Cli.ts"
import { connect, connectHuman, statuses, withKey } from "./Connecting.ts"
import { bare, files, full, keys } from "./Home.ts"
import { adminKey, platform } from "./Platform.ts"

Tier.oneIn(3)

const all = (status: string) => keys.map(() => status)

describe("svc connect", () => {
  it.effect("connect makes an account for each client, writes its entry, reads it back and verifies it", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const { code, document } = yield* connect(home, service)
      assert.strictEqual(code, 0, JSON.stringify(document, null, 1))
      assert.deepStrictEqual(Object.keys(document), ["os", "server_name", "results", "warning", "exit_code"])
      assert.strictEqual(document.server_name, "acme-prod")
      assert.strictEqual(document.exit_code, 0)
      assert.deepStrictEqual(document.results.map(({ client }) => client), [...keys])
      for (const result of document.results) {
        assert.strictEqual(result.status, "connected")
        assert.deepStrictEqual(result.verify, {
          ok: true,
          tools: 2,
          status_code: 200,
          error: null,
          oauth_challenge: false
        })
        assert.strictEqual(result.account?.["name"], result.client)
        assert.notProperty(result.account, "token")
      }
      assert.deepStrictEqual(service.active().map(({ name }) => name), [...keys])
      assert.deepStrictEqual(home.json(files["cli-assistant"]).mcpServers, {
        "acme-prod": {
          type: "http",
          url: service.mcpUrl,
          headers: { Authorization: "Bearer svc_pat_cli-assistant-1" }
        }
      })
      assert.deepStrictEqual(home.json(files["desktop-assistant"]).mcpServers, {
        "acme-prod": {
          command: "npx",
          args: ["-y", "mcp-remote@0.15.1", service.mcpUrl, "--header", "Authorization:${AGNO_AUTH_HEADER}"],
          env: { AGNO_AUTH_HEADER: "Bearer svc_pat_desktop-assistant-2" }
        }
      })
      assert.strictEqual(
        home.read(files["terminal-assistant"]),
        `model = "m"\n\n[mcp_servers.acme-prod]\nurl = "${service.mcpUrl}"\nhttp_headers = { "Authorization" = "Bearer svc_pat_terminal-assistant-3" }\n`
      )
      assert.deepStrictEqual(home.json(files["editor-assistant"]).mcpServers, {
        "acme-prod": { url: service.mcpUrl, headers: { Authorization: "Bearer svc_pat_editor-assistant-4" } }
      })
      for (const key of keys) assert.strictEqual(home.mode(files[key]), 0o600)
    }))

  it.effect("connect changes nothing when it is repeated, and makes no account", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service)
      const before = keys.map((key) => home.read(files[key]))
      const { code, document } = yield* connect(home, service)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(statuses(document), keys.map(() => "already-connected"))
      for (const result of document.results) assert.isNull(result.account)
      assert.deepStrictEqual(keys.map((key) => home.read(files[key])), before)
      assert.strictEqual(service.accounts.length, keys.length)
    }))

  it.effect("connect reads servers that respond with a stream", () =>
    Effect.gen(function*() {
      const home = yield* full
      const { document } = yield* connect(home, platform({ sse: true }))
      assert.deepStrictEqual(statuses(document), all("connected"))
      assert.deepStrictEqual(document.results.map(({ verify }) => verify?.["tools"]), keys.map(() => 2))
    }))

  it.effect("connect sends the handshake with the token of the entry, its session and the agreed version", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service, ["--clients", "cursor"])
      const calls = service.requests.filter(({ headers, url }) =>
        url.endsWith("/mcp") && headers.get("authorization") === "Bearer svc_pat_editor-assistant-1"
      )
      assert.deepStrictEqual(calls.map(({ body }) => JSON.parse(body).method), [
        "initialize",
        "notifications/initialized",
        "tools/list"
      ])
      assert.deepStrictEqual(calls.map(({ headers }) => headers.get("mcp-session-id")), [null, "s1", "s1"])
      assert.deepStrictEqual(calls.map(({ headers }) => headers.get("mcp-protocol-version")), [
        null,
        "2025-03-26",
        "2025-03-26"
      ])
      for (const { headers } of calls) {
        assert.strictEqual(headers.get("accept"), "application/json, text/event-stream")
        assert.strictEqual(headers.get("content-type"), "application/json")
        assert.match(headers.get("user-agent") ?? "", /^svcctl\//)
      }
    }))

  it.effect("connect never shows a token, neither to machines nor to people", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const first = yield* connect(home, service)
      const second = yield* connectHuman(home, service, ["--rotate"])
      const expected = first.stdout + first.stderr + second.stdout + second.stderr
      assert.strictEqual(service.accounts.length, 8)
      for (const { token } of service.accounts) assert.notInclude(expected, token)
      assert.notInclude(expected, adminKey)
    }))
})

describe("svc connect, when something goes wrong", () => {
  it.effect("connect leaves an invalid file alone, and connects the other clients", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.put(files["editor-assistant"], "{ not json")
      const service = platform()
      const { code, document } = yield* connect(home, service)
      assert.strictEqual(code, 3)
      assert.strictEqual(document.exit_code, 3)
      assert.deepStrictEqual(statuses(document), ["connected", "connected", "connected", "failed"])
      assert.include(document.results[3]?.error, `Refusing to modify ${home.file(files["editor-assistant"])}`)
      assert.isNull(document.results[3]?.location)
      assert.strictEqual(home.read(files["editor-assistant"]), "{ not json")
    }))

  it.effect("connect revokes a token that was not used, so that the next run can make it again", () =>
    Effect.gen(function*() {
      const home = yield* full
      let status: number | undefined = 401
      const service = platform({ mcpStatus: () => status })
      const before = "{ \"mcpServers\": {} }"
      home.put(files["editor-assistant"], before)
      const failed = yield* connect(home, service, ["--clients", "cursor"])
      assert.strictEqual(failed.code, 1)
      assert.deepStrictEqual(service.active(), [])
      assert.include(failed.document.results[0]?.note, "revoked again")
      assert.isNumber(failed.document.results[0]?.account?.["revoked_at"])
      assert.strictEqual(home.read(files["editor-assistant"]), before)
      status = undefined
      assert.strictEqual((yield* connect(home, service, ["--clients", "cursor"])).code, 0)
    }))

  it.effect("connect makes and revokes no account for a file that it cannot write", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service)
      const tokens = service.active().map(({ token }) => token)
      const created = service.accounts.length
      home.put(files["editor-assistant"], "{ not json")
      home.put(files["terminal-assistant"], "= no toml")
      for (const more of [[], ["--name", "team"]]) {
        const { code, document } = yield* connect(home, service, ["--rotate", "--clients", "cursor,codex", ...more])
        assert.strictEqual(code, 1)
        for (const { account, error, note } of document.results) {
          assert.include(error, "Refusing to modify")
          assert.isNull(account)
          assert.isUndefined(note)
        }
      }
      assert.strictEqual(service.accounts.length, created)
      assert.deepStrictEqual(service.active().map(({ token }) => token), tokens)
    }))

  it.effect("connect revokes a token when a person stops the run before the token was verified", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const reached = Promise.withResolvers<void>()
      const http = (request: Request) => {
        const isTryingOut = request.url.endsWith("/mcp") && request.headers.has("authorization")
        if (!isTryingOut) return service.http(request)
        reached.resolve()
        return new Promise<Response>(() => {})
      }
      const run = yield* Effect.forkChild(
        cli(["connect", "--clients", "cursor", "--json"], home, { http, variables: withKey })
      )
      yield* Effect.promise(() => reached.promise)
      assert.strictEqual(service.active().length, 1)
      yield* Fiber.interrupt(run)
      assert.deepStrictEqual(service.active(), [])
      assert.notInclude(home.read(files["editor-assistant"]), "svc_pat_")
    }))

  it.effect("connect reports an entry that cannot be verified at the moment, and keeps its token", () =>
    Effect.gen(function*() {
      const home = yield* full
      let status: number | undefined = 500
      const service = platform({ mcpStatus: () => status })
      const { code, document } = yield* connect(home, service, ["--clients", "cursor"])
      assert.strictEqual(code, 1)
      assert.deepInclude(document.results[0], {
        status: "failed",
        location: home.file(files["editor-assistant"]),
        error: "The MCP endpoint responded with HTTP 500"
      })
      assert.deepInclude(document.results[0]?.verify, { ok: false, status_code: 500, tools: 0 })
      assert.lengthOf(service.active(), 1)
      assert.include(document.results[0]?.note, "kept")
      status = undefined
      const again = yield* connect(home, service, ["--clients", "cursor"])
      assert.deepStrictEqual(statuses(again.document), ["already-connected"])
      assert.lengthOf(service.accounts, 1)
    }))

  it.effect("connect reports an entry of another scope that shadows the new one", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.write(
        ".cursor/mcp.json",
        JSON.stringify({ mcpServers: { "acme-prod": { url: "https://shadow.example/mcp" } } })
      )
      const { document } = yield* connect(home, platform(), ["--clients", "cursor"])
      assert.strictEqual(document.results[0]?.status, "failed")
      assert.include(document.results[0]?.error, "shadow")
      assert.include(document.results[0]?.error, "https://shadow.example/mcp")
      assert.isNull(document.results[0]?.verify)
      assert.notProperty(document.results[0], "replaced_url")
    }))

  it.effect("connect reports a wrong credential in each row to a machine, and once, before anything else, to people", () =>
    Effect.gen(function*() {
      const home = yield* full
      const variables = { PLATFORM_ADMIN_TOKEN: "wrong" }
      const { code, document } = yield* connect(home, platform(), [], { variables })
      assert.strictEqual(code, 1)
      for (const { error } of document.results) assert.include(error, "rejected the admin credential")
      const human = yield* connectHuman(home, platform(), [], { variables })
      assert.strictEqual(human.code, 1)
      assert.strictEqual(human.stderr.split("rejected the admin credential").length, 2)
      assert.notInclude(human.stdout, "Cursor")
    }))

  it.effect("connect needs a credential for a service that requires one", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const ran = yield* cli(["connect", "--json"], home, { http: service.http })
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "security_key")
      assert.include(documentOf(ran).hint, "PLATFORM_ADMIN_TOKEN")
      const typed = yield* connectHuman(home, service, ["--clients", "codex"], { variables: {}, replies: [adminKey] })
      assert.strictEqual(typed.code, 0)
    }))

  it.effect("connect fails when MCP is off, when nothing is installed, and when no service responds", () =>
    Effect.gen(function*() {
      const run = (home: Parameters<typeof cli>[1], service: ReturnType<typeof platform> | undefined) =>
        Effect.map(
          cli(["connect", "--json"], home, { variables: withKey, ...(service && { http: service.http }) }),
          (ran) => ({ code: ran.code, ...documentOf(ran) })
        )
      const off = yield* run(yield* full, platform({ mcpEnabled: false }))
      assert.strictEqual(off.code, 1)
      assert.include(off.error, "MCP_ENABLED=true")
      const none = yield* run(yield* bare, platform())
      assert.strictEqual(none.error, "No supported clients detected")
      assert.include((yield* run(yield* full, undefined)).error, "No running")
    }))

  it.effect("connect ends with 2 and without JSON when the command line is wrong", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["--server-name", "a b"], "Invalid --server-name"],
        [["--server-name", ""], "Invalid --server-name"],
        [["--expires", "soon"], "Invalid --expires value"],
        [["--expires", "0"], "Invalid --expires value"],
        [["--clients", "cursor,emacs"], "Unknown client: emacs"]
      ]
      for (const [argv, expected] of wrong) {
        const ran = yield* cli(["connect", ...argv, "--json"], home, { http: service.http, variables: withKey })
        assert.strictEqual(ran.code, 2, argv.join(" "))
        assert.strictEqual(ran.stdout, "")
        assert.include(ran.stderr, expected)
      }
      assert.deepStrictEqual(service.requests, [])
    }))
})
