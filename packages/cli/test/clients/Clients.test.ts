// Where the clients keep their servers on each system, what their entries look like, and how those are read.
import { NodePath } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Path, Redacted } from "effect"
import { ClaudeCode } from "../../src/clients/ClaudeCode.ts"
import { ClaudeDesktop } from "../../src/clients/ClaudeDesktop.ts"
import type { Client, ClientEnvironment } from "../../src/clients/Client.ts"
import { Codex } from "../../src/clients/Codex.ts"
import { Cursor } from "../../src/clients/Cursor.ts"
import { isPublic } from "../../src/clients/HostedApps.ts"

const surroundings = (platform: string, variables: Record<string, string> = {}) =>
  Effect.map(Path.Path, (path): ClientEnvironment => ({
    cwd: platform === "win32" ? "C:\\work\\project" : "/work/project",
    home: platform === "win32" ? "C:\\Users\\ada" : platform === "darwin" ? "/Users/ada" : "/home/ada",
    platform,
    variable: (name) => variables[name],
    path
  })).pipe(Effect.provide(platform === "win32" ? NodePath.layerWin32 : NodePath.layerPosix))

const filesOf = (client: Client, platform: string, variables: Record<string, string> = {}) =>
  Effect.map(surroundings(platform, variables), (around) => client.layout(around).scopes.map(({ label }) => label))

describe("where clients keep their servers", () => {
  const rows: ReadonlyArray<readonly [Client, string, Record<string, string>, ReadonlyArray<string>]> = [
    [ClaudeCode, "linux", {}, [
      "/home/ada/.claude.json (local scope)",
      "/work/project/.mcp.json",
      "/home/ada/.claude.json (user scope)"
    ]],
    [ClaudeCode, "darwin", { CLAUDE_CONFIG_DIR: "/Users/ada/cfg" }, [
      "/Users/ada/cfg/.claude.json (local scope)",
      "/work/project/.mcp.json",
      "/Users/ada/cfg/.claude.json (user scope)"
    ]],
    [ClaudeCode, "win32", {}, [
      "C:\\Users\\ada\\.claude.json (local scope)",
      "C:\\Users\\ada\\.claude.json (local scope)",
      "C:\\work\\project\\.mcp.json",
      "C:\\Users\\ada\\.claude.json (user scope)"
    ]],
    [ClaudeDesktop, "linux", {}, ["/home/ada/.config/Claude/claude_desktop_config.json"]],
    [ClaudeDesktop, "darwin", {}, ["/Users/ada/Library/Application Support/Claude/claude_desktop_config.json"]],
    [ClaudeDesktop, "win32", {}, ["C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json"]],
    [ClaudeDesktop, "win32", { APPDATA: "D:\\Roaming" }, ["D:\\Roaming\\Claude\\claude_desktop_config.json"]],
    [Codex, "linux", {}, ["/home/ada/.codex/config.toml"]],
    [Codex, "linux", { CODEX_HOME: "/srv/codex" }, ["/srv/codex/config.toml"]],
    [Codex, "win32", {}, ["C:\\Users\\ada\\.codex\\config.toml"]],
    [Cursor, "linux", {}, ["/work/project/.cursor/mcp.json", "/home/ada/.cursor/mcp.json"]],
    [Cursor, "win32", {}, ["C:\\work\\project\\.cursor\\mcp.json", "C:\\Users\\ada\\.cursor\\mcp.json"]]
  ]
  for (const [client, platform, variables, expected] of rows) {
    it.effect(`the path of ${client.name} on ${platform} with ${JSON.stringify(variables)} is known`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* filesOf(client, platform, variables), expected)
      }))
  }

  it.effect("Claude Code's own entries of a project are found under either slash on Windows", () =>
    Effect.gen(function*() {
      const { scopes } = ClaudeCode.layout(yield* surroundings("win32"))
      assert.deepStrictEqual(scopes.slice(0, 2).map(({ place }) => place), [
        ["projects", "C:\\work\\project", "mcpServers"],
        ["projects", "C:/work/project", "mcpServers"]
      ])
    }))
})

const read = (client: Client, entry: Record<string, unknown>) => {
  const found = client.decode(entry)
  return found && { url: found.url, token: found.token && Redacted.value(found.token) }
}

describe("what entries say", () => {
  it.each([ClaudeCode, ClaudeDesktop, Codex, Cursor])(
    "the entry of $name is read as it was written, with a token and without",
    (client) => {
      for (const token of ["svc_pat_x", "with \"quotes\" and ${VAR}", undefined]) {
        for (const url of ["http://localhost:7777/mcp", "http://far.example/mcp"]) {
          const written = client.encode({ url, token: token === undefined ? undefined : Redacted.make(token) })
          assert.deepStrictEqual(read(client, written), { url, token })
        }
      }
    }
  )

  it("the token is the text after Bearer, or the whole header", () => {
    const withHeader = (value: unknown) => read(Cursor, { url: "u", headers: { Authorization: value } })?.token
    assert.strictEqual(withHeader("bearer  t"), "t")
    assert.strictEqual(withHeader("BEARER t"), "t")
    assert.strictEqual(withHeader("t"), "t")
    assert.isUndefined(withHeader(" "))
    assert.isUndefined(withHeader("Bearer "))
    assert.isUndefined(withHeader(1))
    assert.isUndefined(read(Cursor, { url: "u", headers: { authorization: "Bearer t" } })?.token)
    assert.strictEqual(read(Codex, { url: "u", http_headers: { AUTHORIZATION: "Bearer t" } })?.token, "t")
    assert.isUndefined(read(Codex, { url: "u", headers: { Authorization: "Bearer t" } })?.token)
  })

  it("an entry without an address is ignored", () => {
    for (const client of [ClaudeCode, ClaudeDesktop, Codex, Cursor]) {
      for (const entry of [{}, { url: 1 }, { url: "" }, { command: "x", args: ["y"] }]) {
        assert.isUndefined(read(client, entry))
      }
    }
  })

  it("Claude Desktop's bridge is read in every spelling", () => {
    const bridge = (args: ReadonlyArray<unknown>, env: unknown = { T: "Bearer t" }) =>
      read(ClaudeDesktop, { command: "npx", args, env })
    const url = "https://h/mcp"
    assert.deepStrictEqual(bridge(["-y", "mcp-remote", url, "--header", "Authorization:${T}"]), { url, token: "t" })
    assert.deepStrictEqual(bridge([url, "--header", "X-Other: 1", "--header", " authorization : Bearer t"]), {
      url,
      token: "t"
    })
    assert.deepStrictEqual(bridge([url, "--header", "Authorization: ${OTHER}"]), { url, token: "${OTHER}" })
    assert.deepStrictEqual(bridge([url, "--header"], null), { url, token: undefined })
    assert.deepStrictEqual(bridge([1, url]), { url, token: undefined })
    assert.deepStrictEqual(read(ClaudeDesktop, { url, headers: { Authorization: "Bearer n" } }), { url, token: "n" })
  })

  it("a token is never among the arguments of a program", () => {
    const { args } = ClaudeDesktop.encode({ url: "http://localhost:7777/mcp", token: Redacted.make("svc_pat_x") })
    assert.notInclude(JSON.stringify(args), "svc_pat_x")
  })
})

describe("what a cloud can reach", () => {
  it.each([
    ["https://agents.example/mcp", true],
    ["https://8.8.8.8/mcp", true],
    ["https://172.32.0.1/mcp", true],
    ["https://[2001:db8::1]/mcp", true],
    ["http://agents.example/mcp", false],
    ["https://localhost/mcp", false],
    ["https://127.0.0.1/mcp", false],
    ["https://host.docker.internal/mcp", false],
    ["https://10.1.2.3/mcp", false],
    ["https://192.168.1.1/mcp", false],
    ["https://172.16.0.1/mcp", false],
    ["https://169.254.1.1/mcp", false],
    ["https://[fe80::1]/mcp", false],
    ["https://[fd00::1]/mcp", false],
    ["https://[::1]/mcp", false],
    ["https://[::ffff:10.0.0.1]/mcp", false],
    ["https://10.example/mcp", true],
    ["nonsense", false]
  ])("a cloud can reach %s: %s", (url, expected) => {
    assert.strictEqual(isPublic(url), expected)
  })
})
