// `svc connect`: which service, and which clients.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { mkdirSync, symlinkSync, unlinkSync } from "node:fs"
import { cli, documentOf } from "../Cli.ts"
import { connect, statuses, withKey } from "./Connecting.ts"
import { bare, files, full, keys } from "./Home.ts"
import { platform } from "./Platform.ts"

Tier.oneIn(10)

const all = (status: string) => keys.map(() => status)

describe("svc connect, and where to", () => {
  const remote = "http://agents.example"

  it.effect("connect trusts a remote address of an env file only with --yes", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.write(".env", `PLATFORM_URL=https://agents.example\n`)
      const service = platform({ address: "https://agents.example" })
      const refused = yield* cli(["connect", "--json"], home, { http: service.http, variables: withKey })
      assert.strictEqual(refused.code, 1)
      assert.include(documentOf(refused).error, "remote host")
      assert.isFalse(service.requests.some(({ headers }) => headers.has("authorization")))
      const { code, document } = yield* connect(home, service, ["--yes"])
      assert.strictEqual(code, 0)
      assert.deepInclude(document.os, { url_source: "env-file", url_source_file: ".env" })
    }))

  it.effect("connect sends nothing secret over plain HTTP to another machine unless that is allowed", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform({ address: remote })
      const refused = yield* cli(["connect", "--url", remote, "--json"], home, {
        http: service.http,
        variables: withKey
      })
      assert.strictEqual(refused.code, 1)
      assert.include(documentOf(refused).error, "plaintext HTTP")
      const { document } = yield* connect(home, service, ["--url", remote, "--allow-http"])
      assert.deepStrictEqual(statuses(document), all("connected"))
      assert.deepInclude(home.json(files["desktop-assistant"]).mcpServers["acme-prod"], {
        args: [
          "-y",
          "mcp-remote@0.15.1",
          service.mcpUrl,
          "--allow-http",
          "--header",
          "Authorization:${AGNO_AUTH_HEADER}"
        ]
      })
    }))

  it.effect("connect does not send the token of an entry over plain HTTP, not even to verify it", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform({ address: remote, auth_mode: "none" })
      const args = ["connect", "--url", remote, "--clients", "cursor", "--json"]
      assert.strictEqual((yield* cli(args, home, { http: service.http })).code, 0)
      home.put(
        files["editor-assistant"],
        JSON.stringify({ mcpServers: { svc: { url: service.mcpUrl, headers: { Authorization: "Bearer held" } } } })
      )
      const ran = yield* cli(args, home, { http: service.http })
      assert.include(documentOf(ran).error, "the token of an existing entry")
      assert.isFalse(service.requests.some(({ headers }) => headers.has("authorization")))
    }))

  it.effect("connect finds services in the configs of clients, and asks which one to use", () =>
    Effect.gen(function*() {
      const home = yield* full
      const local = platform()
      const other = platform({ address: "https://agents.example", name: "Remote" })
      home.put(files["editor-assistant"], JSON.stringify({ mcpServers: { remote: { url: other.mcpUrl } } }))
      const http = (request: Request) => (request.url.startsWith(other.url) ? other : local).http(request)
      const ran = yield* cli(["connect", "--clients", "cursor"], home, {
        http,
        terminal: true,
        variables: withKey,
        replies: ["https://agents.example  remote  \"Remote\" (configured in Cursor)", true]
      })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.strictEqual(ran.questions[0], "Connect to")
      assert.include(ran.questions[1], "from your Cursor MCP config")
      assert.strictEqual(other.accounts.length, 1)
      assert.deepStrictEqual(Object.keys(home.json(files["editor-assistant"]).mcpServers), ["remote"])
    }))

  it.effect("connect names entries after the service", () =>
    Effect.gen(function*() {
      const named: ReadonlyArray<readonly [string | null, string]> = [
        ["acme.prod v2", "acme-prod-v2"],
        ["  weird -- name  ", "weird-name"],
        ["Ünï", "n"],
        ["!!!", "agentos"],
        [null, "agentos"]
      ]
      for (const [name, entry] of named) {
        const { document } = yield* connect(yield* full, platform({ name }), ["--clients", "codex"])
        assert.strictEqual(document.server_name, entry)
      }
    }))
})

describe("svc connect, and whom", () => {
  it.effect("connect takes clients by any of their names, in the given order, each once", () =>
    Effect.gen(function*() {
      const { document } = yield* connect(yield* bare, platform(), [
        "--clients",
        " Codex, EDITOR-assistant,,cursor,terminal-assistant,ChatGPT,claude.ai "
      ])
      assert.deepStrictEqual(document.results.map(({ client }) => client), [
        "terminal-assistant",
        "editor-assistant",
        "web-assistant-b",
        "web-assistant-a"
      ])
    }))

  it.effect("connect does nothing when no client is named", () =>
    Effect.gen(function*() {
      for (const list of ["", ","]) {
        const { code, document } = yield* connect(yield* full, platform(), ["--clients", list])
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(document.results, [])
      }
    }))

  it.effect("connect says how hosted apps are set up, without a credential or an account", () =>
    Effect.gen(function*() {
      const service = platform()
      const { code, document } = yield* connect(yield* full, service, ["--clients", "chatgpt"], { variables: {} })
      assert.strictEqual(code, 0)
      const [row] = document.results
      assert.deepStrictEqual(Object.keys(row ?? {}), [
        "client",
        "status",
        "error",
        "location",
        "account",
        "verify",
        "instructions",
        "url",
        "note"
      ])
      assert.deepInclude(row, { client: "web-assistant-b", status: "manual", error: null, url: service.mcpUrl })
      assert.strictEqual(row?.instructions?.length, 3)
      assert.include(row?.note, "cannot be reached from the cloud")
      assert.include(row?.note, "public HTTPS")
      assert.include(row?.instructions?.[1], "cannot send a token")
      const open = yield* connect(yield* full, platform({ auth_mode: "none" }), ["--clients", "chatgpt"])
      assert.include(open.document.results[0]?.instructions?.[1], "without signing in")
    }))

  it.effect("connect shows hosted apps by itself when they could reach the service and sign in", () =>
    Effect.gen(function*() {
      const address = "https://agents.example"
      const shown = platform({ address, auth_mode: "none" })
      const { code, document } = yield* connect(yield* bare, shown, ["--url", address], { variables: {} })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(document.results.map(({ auto, client, note }) => ({ auto, client, note })), [
        { auto: true, client: "web-assistant-a", note: null },
        { auto: true, client: "web-assistant-b", note: null }
      ])
      const closed = yield* connect(yield* full, platform({ address }), ["--url", address])
      assert.deepStrictEqual(closed.document.results.map(({ client }) => client), [...keys])
    }))

  it.effect("connect writes a project's configs with --project, and says what that means", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const ofUser = keys.map((key) => home.read(files[key]))
      const { code, document } = yield* connect(home, service, ["--project"])
      assert.strictEqual(code, 3)
      assert.deepStrictEqual(statuses(document), ["connected", "skipped", "skipped", "connected"])
      assert.include(document.results[2]?.error, "Codex has no files of projects")
      const at = (path: string) => `${home.cwd}/${path}`
      assert.deepStrictEqual(document.results.map(({ location }) => location), [
        at(".mcp.json"),
        null,
        null,
        at(".cursor/mcp.json")
      ])
      assert.deepStrictEqual(keys.map((key) => home.read(files[key])), ofUser)
      assert.include(document.results[0]?.note, "version control")
      assert.strictEqual(home.mode(at(".mcp.json")), 0o600)
      assert.strictEqual(home.read(files["cli-assistant"]), "{\n  \"numStartups\": 3\n}\n")
    }))

  it.effect("connect writes the file itself on Windows, where the client's command is a script of the shell", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.program("claude.CMD", "exit 1")
      const service = platform({ auth_mode: "none" })
      const { document } = yield* connect(home, service, ["--clients", "claude-code,claude-desktop"], {
        platform: "win32",
        variables: { PATH: home.bin, PATHEXT: ".EXE;.CMD", APPDATA: home.file("Roaming") }
      })
      assert.deepStrictEqual(document.results.map(({ location, status }) => ({ location, status })), [
        { location: home.file(".claude.json"), status: "connected" },
        { location: home.file("Roaming/Claude/claude_desktop_config.json"), status: "connected" }
      ])
      assert.include(document.results[1]?.note, "npx, which is not on the PATH")
    }))

  it.effect("connect writes the project's file beside a user's entry that works, with its token", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service, ["--clients", "cursor,claude-code"])
      const argv = ["--clients", "cursor,claude-code", "--project"]
      const { code, document } = yield* connect(home, service, argv)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(statuses(document), ["connected", "connected"])
      assert.strictEqual(
        JSON.stringify(home.json(`${home.cwd}/.cursor/mcp.json`).mcpServers),
        JSON.stringify(home.json(files["editor-assistant"]).mcpServers)
      )
      assert.lengthOf(service.accounts, 2)
      assert.deepStrictEqual(statuses((yield* connect(home, service, argv)).document), [
        "already-connected",
        "already-connected"
      ])
    }))

  it.effect("connect follows no link of a project that leads out of it", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.put("outside.json", "{}")
      symlinkSync(home.file("outside.json"), `${home.cwd}/.mcp.json`)
      mkdirSync(home.file("elsewhere"))
      symlinkSync(home.file("elsewhere"), `${home.cwd}/.cursor`)
      const service = platform()
      const { code, document } = yield* connect(home, service, ["--project", "--clients", "claude-code,cursor"])
      assert.strictEqual(code, 1)
      for (const { error } of document.results) assert.include(error, "leads out of the project")
      assert.strictEqual(home.read("outside.json"), "{}")
      assert.isFalse(home.has("elsewhere/mcp.json"))
      assert.deepStrictEqual(service.active(), [])
      unlinkSync(`${home.cwd}/.mcp.json`)
      home.write("shared/mcp.json", "{}")
      symlinkSync("shared/mcp.json", `${home.cwd}/.mcp.json`)
      const inside = yield* connect(home, service, ["--project", "--clients", "claude-code"])
      assert.strictEqual(inside.code, 0)
      assert.include(home.read(`${home.cwd}/shared/mcp.json`), "acme-prod")
    }))

  it.effect("connect adds an entry without a token by the client's own command, and replaces one of the same name", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.program(
        "claude",
        `printf '%s\\n' "$*" >> ${home.file("calls")}
case "$*" in
  "mcp remove"*) touch ${home.file("gone")} ;;
  *) if [ ! -e ${home.file("gone")} ]; then echo "MCP server already exists" >&2; exit 1; fi
     printf '{"mcpServers":{"acme-prod":{"type":"http","url":"http://localhost:7777/mcp"}}}' > ${
          home.file(".claude.json")
        } ;;
esac`
      )
      const service = platform({ auth_mode: "none" })
      const { document } = yield* connect(home, service, ["--clients", "claude-code"], { variables: {} })
      assert.deepInclude(document.results[0], { status: "connected", location: "claude mcp add (scope: user)" })
      assert.deepStrictEqual(home.read("calls").trim().split("\n"), [
        "mcp add --transport http --scope user acme-prod http://localhost:7777/mcp",
        "mcp remove --scope user acme-prod",
        "mcp add --transport http --scope user acme-prod http://localhost:7777/mcp"
      ])
      home.program("claude", "echo nothing works >&2; exit 7")
      home.put(".claude.json", "{}")
      const failed = yield* connect(home, service, ["--clients", "claude-code"], { variables: {} })
      assert.strictEqual(failed.document.results[0]?.error, "claude mcp add failed: nothing works")
      const minted = yield* connect(home, platform(), ["--clients", "claude-code"])
      assert.strictEqual(minted.document.results[0]?.status, "connected")
    }))
})
