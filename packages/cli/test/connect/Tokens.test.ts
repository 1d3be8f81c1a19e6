// `svc connect` with tokens and without: by how the service asks who is calling, and by who may make tokens.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { cli, documentOf } from "../Cli.ts"
import { connect, connectHuman, statuses, withKey } from "./Connecting.ts"
import { files, full, keys } from "./Home.ts"
import { platform } from "./Platform.ts"

Tier.oneIn(4)

const all = (status: string) => keys.map(() => status)

describe("svc connect, with tokens or without", () => {
  it.effect("connect writes no token for a service without authentication", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform({ auth_mode: "none" })
      const { code, document } = yield* connect(home, service, [], { variables: {} })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(statuses(document), all("connected"))
      assert.strictEqual(document.warning, null)
      assert.deepStrictEqual(service.accounts, [])
      assert.deepStrictEqual(home.json(files["cli-assistant"]).mcpServers["acme-prod"], {
        type: "http",
        url: service.mcpUrl
      })
      assert.deepStrictEqual(home.json(files["editor-assistant"]).mcpServers["acme-prod"], { url: service.mcpUrl })
      assert.deepStrictEqual(home.json(files["desktop-assistant"]).mcpServers["acme-prod"], {
        command: "npx",
        args: ["-y", "mcp-remote@0.15.1", service.mcpUrl]
      })
      assert.strictEqual(
        home.read(files["terminal-assistant"]),
        `model = "m"\n\n[mcp_servers.acme-prod]\nurl = "${service.mcpUrl}"\n`
      )
      assert.notStrictEqual(home.mode(files["editor-assistant"]), 0o600)
      const human = yield* connectHuman(yield* full, service, [], { variables: {} })
      assert.include(human.stdout, "Authorization is disabled")
    }))

  it.effect("connect warns when MCP is open although other endpoints are not", () =>
    Effect.gen(function*() {
      const { document } = yield* connect(yield* full, platform({ openMcp: true }))
      assert.isString(document.warning)
      assert.deepStrictEqual(statuses(document), all("connected"))
      assert.strictEqual((yield* connect(yield* full, platform())).document.warning, null)
    }))

  const oauth = { authorization_servers: ["http://localhost:7777/"], resource: "http://localhost:7777/mcp" }

  it.effect("connect lets people sign in where MCP is protected by OAuth", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform({ oauth })
      const { code, document } = yield* connect(home, service, [], { variables: {} })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(statuses(document), all("needs-login"))
      assert.deepStrictEqual(document.results.map(({ instructions }) => instructions), [
        ["Run `claude mcp login acme-prod`, or choose /mcp → Authenticate in a session."],
        ["Restart Claude Desktop: the bridge opens your browser."],
        ["Run `codex mcp login acme-prod`."],
        ["Open Cursor → Settings → MCP and choose Connect on `acme-prod`."]
      ])
      assert.deepInclude(document.results[0]?.verify, { ok: true, tools: 0, status_code: 401, oauth_challenge: true })
      assert.deepStrictEqual(service.accounts, [])
      const again = yield* connect(home, service, [], { variables: {} })
      assert.deepStrictEqual(statuses(again.document), all("already-connected"))
    }))

  it.effect("connect refuses flags about tokens where none are made", () =>
    Effect.gen(function*() {
      const home = yield* full
      const ran = yield* cli(
        ["connect", "--name", "x", "--scopes", "a:b", "--expires", "30", "--privileged", "--json"],
        home,
        {
          http: platform({ oauth }).http,
          variables: withKey
        }
      )
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "--name, --scopes, --expires, --privileged")
      assert.include(documentOf(ran).hint, "--pat")
    }))

  it.effect("connect makes tokens on an OAuth service with --pat, if the caller may", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform({ oauth })
      assert.deepStrictEqual(statuses((yield* connect(home, service, ["--pat"])).document), all("connected"))
      assert.strictEqual(service.active().length, 4)
      const open = yield* full
      const before = open.read(files["cli-assistant"])
      const ran = yield* cli(["connect", "--pat", "--json"], open, {
        http: platform({ oauth, auth_mode: "none" }).http
      })
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "refuses anonymous minting")
      assert.include(documentOf(ran).hint, "leave out --pat")
      assert.strictEqual(open.read(files["cli-assistant"]), before)
    }))

  it.effect("connect keeps an entry with a working token on an OAuth service, and converts it with --rotate", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform({ oauth })
      yield* connect(home, service, ["--pat"])
      assert.deepStrictEqual(statuses((yield* connect(home, service)).document), all("already-connected"))
      const { document } = yield* connect(home, service, ["--rotate"])
      for (const result of document.results) {
        assert.deepInclude(result, { status: "needs-login", replaced_token_entry: true })
        assert.notProperty(result, "rotated")
      }
      for (const key of keys) assert.notInclude(home.read(files[key]), "svc_pat_")
      assert.strictEqual(service.active().length, 4)
    }))

  it.effect("connect makes tokens where MCP checks tokens and offers no way to sign in", () =>
    Effect.gen(function*() {
      const verifier = { authorization_servers: null, resource: "http://localhost:7777/mcp" }
      const keyed = platform({ oauth: verifier })
      assert.deepStrictEqual(statuses((yield* connect(yield* full, keyed)).document), all("connected"))
      const home = yield* full
      const before = keys.map((key) => home.read(files[key]))
      for (const variables of [{}, withKey]) {
        const ran = yield* cli(["connect", "--json"], home, {
          http: platform({ oauth: verifier, auth_mode: "none" }).http,
          variables
        })
        assert.strictEqual(ran.code, 1)
      }
      assert.deepStrictEqual(keys.map((key) => home.read(files[key])), before)
    }))

  it.effect("connect mints on an open service with a token of a service account and --pat", () =>
    Effect.gen(function*() {
      const service = platform({ auth_mode: "none", oauth })
      const variables = { PLATFORM_ADMIN_TOKEN: "svc_pat_minter" }
      const { document } = yield* connect(yield* full, service, ["--pat"], { variables })
      assert.deepStrictEqual(statuses(document), all("connected"))
    }))

  it.effect("connect shares one account with --name, and takes its token from a client that has it", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const { document } = yield* connect(home, service, ["--name", "team", "--clients", "cursor,codex"])
      assert.deepStrictEqual(statuses(document), ["connected", "connected"])
      for (const result of document.results) assert.isNull(result.account)
      assert.deepStrictEqual(service.accounts.map(({ name }) => name), ["team"])
      const more = yield* connect(home, service, ["--name", "team"])
      assert.deepStrictEqual(statuses(more.document), [
        "connected",
        "connected",
        "already-connected",
        "already-connected"
      ])
      assert.strictEqual(service.accounts.length, 1)
      const lost = yield* connect(yield* full, service, ["--name", "team", "--rotate"])
      assert.strictEqual(lost.code, 0)
      assert.deepStrictEqual(service.active().map(({ token }) => token), ["svc_pat_team-2"])
      const ran = yield* cli(["connect", "--name", "team", "--json"], yield* full, {
        http: service.http,
        variables: withKey
      })
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "already exists")
    }))

  it.effect("connect revokes the account of --name when no client works with it, unless it may work later", () =>
    Effect.gen(function*() {
      for (const [status, active] of new Map([[403, new Array<string>()], [503, ["team"]]])) {
        const service = platform({ mcpStatus: () => status })
        const { code, document } = yield* connect(yield* full, service, ["--name", "team", "--clients", "cursor,codex"])
        assert.strictEqual(code, 1)
        assert.deepStrictEqual(service.active().map(({ name }) => name), active)
        for (const { note } of document.results) {
          if (status === 403) assert.include(note, "Service account team was revoked again. Its entry is left")
        }
      }
    }))

  it.effect("connect skips every client when the account of --name is kept", () =>
    Effect.gen(function*() {
      const service = platform()
      yield* connect(yield* full, service, ["--name", "team"])
      const { code, document } = yield* connect(yield* full, service, [
        "--name",
        "team",
        "--skip-existing",
        "--clients",
        "cursor,codex,chatgpt"
      ])
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(statuses(document), ["skipped", "skipped", "manual"])
      assert.include(document.results[0]?.error, "kept untouched")
      const person = yield* connectHuman(yield* full, service, ["--name", "team"], { replies: [false] })
      assert.strictEqual(person.code, 1)
      assert.lengthOf(person.questions, 1)
      assert.strictEqual(person.stderr.split("kept untouched").length, 5)
      assert.lengthOf(service.accounts, 1)
    }))

  it.effect("connect refuses a malformed --name as tokens create does", () =>
    Effect.gen(function*() {
      const service = platform()
      for (const argv of [["connect", "--name", "Bad Name"], ["tokens", "create", "Bad Name"]]) {
        const ran = yield* cli(argv, yield* full, { http: service.http, variables: withKey })
        assert.strictEqual(ran.code, 2)
        assert.include(ran.stderr, "Expected 1 to 63 characters")
      }
      assert.lengthOf(service.requests, 0)
    }))

  it.effect("connect requests the account that the flags describe", () =>
    Effect.gen(function*() {
      const service = platform()
      yield* connect(yield* full, service, ["--clients", "cursor"])
      yield* connect(yield* full, service, [
        "--name",
        "team",
        "--clients",
        "cursor",
        "-s",
        "agents:run",
        "--scopes",
        "sessions:write",
        "--expires",
        "NEVER",
        "--privileged"
      ])
      assert.deepStrictEqual(service.accounts.map(({ request }) => request), [
        { name: "editor-assistant", expires_in_days: 90 },
        {
          name: "team",
          scopes: [{ scope: "agents:run", effect: "allow" }, { scope: "sessions:write", effect: "allow" }],
          never_expires: true,
          allow_privileged_scopes: true
        }
      ])
    }))
})
