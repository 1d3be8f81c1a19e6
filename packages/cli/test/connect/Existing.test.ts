// `svc connect` where there are entries and accounts already: what is kept, what is replaced, what is asked.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { connect, connectHuman, statuses } from "./Connecting.ts"
import { files, full, keys } from "./Home.ts"
import { platform } from "./Platform.ts"

Tier.oneIn(3)

const all = (status: string) => keys.map(() => status)

describe("svc connect, when there is something already", () => {
  it.effect("connect fails for every client when accounts exist and entries are missing", () =>
    Effect.gen(function*() {
      const service = platform()
      yield* connect(yield* full, service)
      const home = yield* full
      const { code, document } = yield* connect(home, service)
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(statuses(document), all("failed"))
      for (const { error } of document.results) {
        assert.include(error, "already exists")
        assert.include(error, "--rotate")
        assert.include(error, "--skip-existing")
      }
      assert.strictEqual(home.read(files["terminal-assistant"]), "model = \"m\"\n")
    }))

  it.effect("connect leaves accounts alone with --skip-existing", () =>
    Effect.gen(function*() {
      const service = platform()
      yield* connect(yield* full, service)
      const { code, document } = yield* connect(yield* full, service, ["--skip-existing"])
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(statuses(document), all("skipped"))
      for (const { error } of document.results) assert.include(error, "kept untouched")
      assert.strictEqual(service.accounts.length, 4)
    }))

  it.effect("connect makes new tokens with --rotate, and says so", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const first = yield* connect(home, service)
      for (const result of first.document.results) assert.notProperty(result, "rotated")
      const { code, document } = yield* connect(home, service, ["--rotate"])
      assert.strictEqual(code, 0)
      for (const result of document.results) {
        assert.strictEqual(result.status, "connected")
        assert.isTrue(result.rotated)
      }
      assert.deepStrictEqual(
        service.active().map(({ token }) => token),
        keys.map((key, at) => `svc_pat_${key}-${at + 5}`)
      )
      assert.include(home.read(files["terminal-assistant"]), "svc_pat_terminal-assistant-7")
      assert.notInclude(home.read(files["terminal-assistant"]), "svc_pat_terminal-assistant-3")
    }))

  it.effect("connect repairs an entry whose token was revoked", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service)
      for (const account of service.accounts) account.revoked_at = 1
      assert.deepStrictEqual(statuses((yield* connect(home, service, ["--skip-existing"])).document), all("skipped"))
      assert.deepStrictEqual(statuses((yield* connect(home, service, ["--rotate"])).document), all("connected"))
    }))

  it.effect("connect asks a person before it replaces an account", () =>
    Effect.gen(function*() {
      const service = platform()
      yield* connect(yield* full, service, ["--clients", "cursor"])
      const declined = yield* connectHuman(yield* full, service, ["--clients", "cursor"], { replies: [false] })
      assert.strictEqual(declined.code, 1)
      assert.match(declined.questions[0] ?? "", /already exists/)
      assert.include(declined.stderr, "kept untouched")
      const accepted = yield* connectHuman(yield* full, service, ["--clients", "cursor"], { replies: [true] })
      assert.strictEqual(accepted.code, 0)
      assert.deepStrictEqual(service.accounts.map(({ revoked_at: at }) => at), [2, null])
    }))

  it.effect("connect replaces an entry of another service, unless it has to skip existing ones", () =>
    Effect.gen(function*() {
      const home = yield* full
      const other = { "acme-prod": { url: "https://other.example/mcp", note: "mine" } }
      home.put(files["editor-assistant"], JSON.stringify({ mcpServers: other }))
      const service = platform()
      const skipped = yield* connect(home, service, ["--clients", "cursor", "--skip-existing"])
      assert.deepInclude(skipped.document.results[0], {
        status: "skipped",
        location: home.file(files["editor-assistant"])
      })
      assert.include(skipped.document.results[0]?.error, "https://other.example/mcp")
      assert.deepStrictEqual(home.json(files["editor-assistant"]).mcpServers, other)
      const { document } = yield* connect(home, service, ["--clients", "cursor"])
      assert.deepInclude(document.results[0], { status: "connected", replaced_url: "https://other.example/mcp" })
      assert.notProperty(document.results[0], "rotated")
      assert.deepStrictEqual(home.json(files["editor-assistant"]).mcpServers["acme-prod"], {
        url: service.mcpUrl,
        headers: { Authorization: "Bearer svc_pat_editor-assistant-1" }
      })
    }))

  it.effect("connect says when an entry of that name was not a service, and leaves it with --skip-existing", () =>
    Effect.gen(function*() {
      const home = yield* full
      const text = "{\"mcpServers\": {\"acme-prod\": {\"command\": \"mine\"}}}"
      home.put(files["editor-assistant"], text)
      const service = platform()
      const skipped = yield* connect(home, service, ["--clients", "cursor", "--skip-existing"])
      assert.strictEqual(skipped.document.results[0]?.status, "skipped")
      assert.strictEqual(home.read(files["editor-assistant"]), text)
      assert.deepStrictEqual(service.accounts, [])
      const { document } = yield* connect(home, service, ["--clients", "cursor"])
      assert.strictEqual(document.results[0]?.status, "connected")
      assert.include(document.results[0]?.note, "Something else was called acme-prod")
    }))

  it.effect("connect renames entries of older versions and keeps their tokens", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service, ["--server-name", "svc"])
      const { code, document } = yield* connect(home, service)
      assert.strictEqual(code, 0)
      for (const result of document.results) {
        assert.deepInclude(result, { status: "connected", replaced_legacy: "svc" })
        assert.isNull(result.account)
      }
      assert.strictEqual(service.accounts.length, 4)
      assert.strictEqual(service.active().length, 4)
      assert.deepStrictEqual(Object.keys(home.json(files["editor-assistant"]).mcpServers), ["acme-prod"])
      assert.include(home.read(files["terminal-assistant"]), "[mcp_servers.acme-prod]")
      assert.notInclude(home.read(files["terminal-assistant"]), "[mcp_servers.svc]")
    }))

  it.effect("connect makes new tokens when an old entry is renamed with other scopes, and leaves old entries of other services", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service, ["--server-name", "svc", "--clients", "codex"])
      const { document } = yield* connect(home, service, ["--clients", "codex", "--scopes", "agents:run"])
      assert.include(document.results[0]?.error, "already exists")
      const foreign = "[mcp_servers.svc]\nurl = \"https://other.example/mcp\"\n"
      home.put(files["terminal-assistant"], foreign)
      const { document: next } = yield* connect(home, service, ["--clients", "codex", "--rotate"])
      assert.strictEqual(next.results[0]?.status, "connected")
      assert.notProperty(next.results[0], "replaced_legacy")
      assert.isTrue(home.read(files["terminal-assistant"]).startsWith(foreign))
    }))
})
