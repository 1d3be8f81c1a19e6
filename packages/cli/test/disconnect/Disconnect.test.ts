// `svc disconnect`: which entries go, which stay, and what happens to the accounts behind them.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { isAt } from "../../src/disconnect/Disconnect.ts"
import { cli, documentOf } from "../Cli.ts"
import { connect } from "../connect/Connecting.ts"
import { bare, files, full } from "../connect/Home.ts"
import { adminKey, platform } from "../connect/Platform.ts"
import { all, contents, disconnect, statuses } from "./Disconnecting.ts"

Tier.oneIn(2)

describe("svc disconnect", () => {
  it.effect("disconnect leaves every file with the bytes it had before connect, and needs no service", () =>
    Effect.gen(function*() {
      const home = yield* full
      const before = contents(home)
      yield* connect(home, platform())
      assert.notDeepEqual(contents(home), before)
      const { code, document } = yield* disconnect(home)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(Object.keys(document), [
        "os",
        "server_name",
        "target_urls",
        "results",
        "revocations",
        "tokens_left",
        "exit_code"
      ])
      assert.isNull(document.os)
      assert.isNull(document.server_name)
      assert.deepStrictEqual(document.target_urls, [7777, 7778, 7779, 8000].map((port) => `http://localhost:${port}`))
      assert.deepStrictEqual(statuses(document), all("removed"))
      for (const { removed } of document.results) assert.deepStrictEqual(removed, ["acme-prod"])
      assert.deepStrictEqual(document.revocations, [])
      assert.deepStrictEqual(contents(home), before)
    }))

  it.effect("disconnect succeeds with nothing to remove the second time", () =>
    Effect.gen(function*() {
      const home = yield* full
      const before = contents(home)
      const { code, document } = yield* disconnect(home)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(statuses(document), all("not-found"))
      for (const row of document.results) assert.deepInclude(row, { removed: null, location: null, instructions: null })
      assert.deepStrictEqual(contents(home), before)
    }))

  it.effect("disconnect removes every entry that points at the service, under any name, and no other", () =>
    Effect.gen(function*() {
      const home = yield* full
      const url = "https://agents.example/team1"
      const servers = {
        derived: { url: `${url}/mcp` },
        svc: { url: `${url}/mcp/` },
        "any case": { url: "HTTPS://Agents.Example/team1/mcp" },
        below: { url: `${url}/deeper/mcp` },
        sibling: { url: "https://agents.example/team10/mcp" },
        upward: { url: "https://agents.example/mcp" },
        port: { url: "https://agents.example:443/team1/mcp" },
        program: { command: "npx", args: ["-y", "other"] }
      }
      home.put(files["editor-assistant"], JSON.stringify({ mcpServers: servers }))
      const { document } = yield* disconnect(home, ["--url", url, "--clients", "cursor"])
      assert.deepStrictEqual(document.target_urls, [url])
      assert.deepStrictEqual(document.results[0]?.removed, ["derived", "svc", "any case", "below"])
      assert.deepStrictEqual(Object.keys(home.json(files["editor-assistant"]).mcpServers), [
        "sibling",
        "upward",
        "port",
        "program"
      ])
    }))

  it.effect("disconnect keeps a table that had several entries, with nothing in it", () =>
    Effect.gen(function*() {
      const home = yield* full
      const servers = { one: { url: "http://localhost:7777/mcp" }, two: { url: "http://localhost:7777/mcp" } }
      home.put(files["editor-assistant"], JSON.stringify({ x: 1, mcpServers: servers }, null, 2))
      const { document } = yield* disconnect(home, ["--clients", "cursor"])
      assert.deepStrictEqual(document.results[0]?.removed, ["one", "two"])
      assert.strictEqual(home.read(files["editor-assistant"]), "{\n  \"x\": 1,\n  \"mcpServers\": {}\n}")
    }))

  it.effect("disconnect looks into every scope, and leaves an entry of the same name for another service", () =>
    Effect.gen(function*() {
      const home = yield* full
      const mine = { url: "http://localhost:7777/mcp" }
      const foreign = { url: "https://other.example/mcp" }
      home.put(
        files["cli-assistant"],
        JSON.stringify({ projects: { [home.cwd]: { mcpServers: { svc: foreign } } }, mcpServers: { svc: mine } })
      )
      home.write(".mcp.json", JSON.stringify({ mcpServers: { svc: mine, other: foreign } }))
      const { document } = yield* disconnect(home, ["--clients", "claude"])
      assert.strictEqual(
        document.results[0]?.location,
        `${home.cwd}/.mcp.json, ${home.file(".claude.json")} (user scope)`
      )
      assert.deepStrictEqual(JSON.parse(home.read(files["cli-assistant"])), {
        projects: { [home.cwd]: { mcpServers: { svc: foreign } } },
        mcpServers: {}
      })
      assert.deepStrictEqual(home.json(`${home.cwd}/.mcp.json`).mcpServers, { other: foreign })
    }))

  it.effect("disconnect removes exactly the entry that is named, wherever it points, and calls no service", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.put(
        files["editor-assistant"],
        JSON.stringify({ mcpServers: { mine: { url: "https://other.example/x" }, "acme-prod": { command: "x" } } })
      )
      const service = platform()
      const { document } = yield* disconnect(home, ["--server-name", "mine"], { http: service.http })
      assert.deepStrictEqual(service.requests, [])
      assert.deepInclude(document, { os: null, server_name: "mine", target_urls: [] })
      assert.deepStrictEqual(statuses(document), ["not-found", "not-found", "not-found", "removed"])
      const program = yield* disconnect(home, ["--server-name", "acme-prod", "--clients", "cursor"])
      assert.deepStrictEqual(program.document.results[0]?.removed, ["acme-prod"])
    }))

  it.effect("disconnect refuses an invalid file when an entry is named, and finds nothing in it otherwise", () =>
    Effect.gen(function*() {
      const home = yield* full
      yield* connect(home, platform())
      home.put(files["editor-assistant"], "{ not json")
      const lenient = yield* disconnect(home)
      assert.strictEqual(lenient.code, 0)
      assert.deepStrictEqual(statuses(lenient.document), ["removed", "removed", "removed", "not-found"])
      const named = yield* disconnect(home, ["--server-name", "acme-prod"])
      assert.strictEqual(named.code, 3)
      assert.strictEqual(named.document.exit_code, 3)
      assert.include(named.document.results[3]?.error, "Refusing to modify")
      const alone = yield* disconnect(home, ["--server-name", "acme-prod", "--clients", "cursor"])
      assert.strictEqual(alone.code, 1)
      assert.strictEqual(home.read(files["editor-assistant"]), "{ not json")
    }))

  it.effect("disconnect names the entry that it cannot remove from a layout of TOML", () =>
    Effect.gen(function*() {
      const home = yield* full
      const text = "mcp_servers = { svc = { url = \"http://localhost:7777/mcp\" } }\n"
      home.put(files["terminal-assistant"], text)
      const { code, document } = yield* disconnect(home, ["--clients", "codex"])
      assert.strictEqual(code, 1)
      assert.include(document.results[0]?.error, "unsupported TOML layout")
      assert.include(document.results[0]?.error, "in an editor")
      assert.strictEqual(home.read(files["terminal-assistant"]), text)
    }))

  it.effect("disconnect says how hosted apps remove a service, when they are named", () =>
    Effect.gen(function*() {
      const { code, document } = yield* disconnect(yield* bare, ["--clients", "claude.ai"])
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(document.results, [{
        client: "web-assistant-a",
        status: "manual",
        error: null,
        removed: null,
        location: null,
        instructions: ["In claude.ai open Settings → Connectors and remove the connector."]
      }])
    }))

  it.effect("disconnect fails when nothing is installed, and ends with 2 for a wrong command line", () =>
    Effect.gen(function*() {
      const ran = yield* cli(["disconnect", "--json"], yield* bare)
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(documentOf(ran).error, "No supported clients detected")
      for (const argv of [["--clients", "emacs"], ["--server-name", "a.b"], ["--server-name", "__proto__"]]) {
        const wrong = yield* cli(["disconnect", ...argv, "--json"], yield* bare)
        assert.strictEqual(wrong.code, 2)
        assert.strictEqual(wrong.stdout, "")
      }
    }))

  it.effect("disconnect treats an invalid address as a service that does not respond", () =>
    Effect.gen(function*() {
      const { code, document } = yield* disconnect(yield* full, ["--url", "http://localhost:99999"])
      assert.strictEqual(code, 0)
      assert.isNull(document.os)
      assert.deepStrictEqual(document.target_urls, ["http://localhost:99999"])
    }))
})

describe("svc disconnect, for people", () => {
  it.effect("disconnect says which tokens are left, but only when there are any", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service)
      const machine = { http: service.http, terminal: true, variables: { PLATFORM_ADMIN_TOKEN: adminKey } }
      const { code, stdout } = yield* cli(["disconnect"], home, machine)
      assert.strictEqual(code, 0)
      assert.include(stdout, "Removing entries that point at http://localhost:7777")
      assert.include(stdout, "  removed        Codex \"acme-prod\" -> ~/.codex/config.toml")
      assert.include(stdout, "stay valid")
      assert.include(stdout, "svc tokens revoke")
      yield* connect(home, service, ["--rotate"])
      const revoked = yield* cli(["disconnect", "--revoke"], home, machine)
      assert.include(revoked.stdout, "  revoked        cli-assistant")
      assert.notInclude(revoked.stdout, "stay valid")
      assert.include((yield* cli(["disconnect"], home, { terminal: true })).stdout, "No service responded.\n")
      const none = yield* cli(["disconnect"], home, machine)
      assert.include(none.stdout, "  not found      Cursor")
      assert.notInclude(none.stdout, "stay valid")
    }))

  it.effect("disconnect asks which service to use, and stops when the person leaves", () =>
    Effect.gen(function*() {
      const home = yield* full
      const local = platform()
      const other = platform({ address: "http://localhost:7778", name: "Other" })
      const http = (request: Request) => (request.url.startsWith(other.url) ? other : local).http(request)
      yield* connect(home, local, ["--clients", "cursor"])
      yield* connect(home, other, ["--clients", "cursor", "--url", other.url])
      const left = yield* cli(["disconnect"], home, { http, terminal: true, replies: ["leave"] })
      assert.strictEqual(left.code, 1)
      assert.include(left.stderr, "Aborted.")
      assert.strictEqual(left.questions[0], "Disconnect from")
      const ran = yield* cli(["disconnect", "--clients", "cursor"], home, {
        http,
        terminal: true,
        replies: ["http://localhost:7778  local   \"Other\""]
      })
      assert.strictEqual(ran.code, 0)
      assert.deepStrictEqual(Object.keys(home.json(files["editor-assistant"]).mcpServers), ["acme-prod"])
    }))
})

describe("the address of an entry", () => {
  it.each([
    ["http://localhost:7777", "http://localhost:7777/mcp", true],
    ["http://localhost:7777", "http://localhost:7777", true],
    ["http://localhost:7777", "http://LOCALHOST:7777/mcp?x=1#y", true],
    ["http://localhost:7777", "http://127.0.0.1:7777/mcp", false],
    ["http://localhost:7777", "http://localhost:77777/mcp", false],
    ["http://localhost:7777", "https://localhost:7777/mcp", false],
    ["https://h/team1", "https://h/team1/mcp", true],
    ["https://h/team1", "https://h/team10/mcp", false],
    ["https://h/team1", "https://h/Team1/mcp", false],
    ["https://h/team1", "https://h/mcp", false],
    ["https://h", "https://h.example/mcp", false],
    ["not an address", "not an address", false]
  ])("the target %s is at the address %s: %s", (target, address, expected) => {
    assert.strictEqual(isAt(target, address), expected)
  })
})
