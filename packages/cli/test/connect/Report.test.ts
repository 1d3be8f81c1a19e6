// `svc connect` as people see it.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { connectHuman } from "./Connecting.ts"
import { files, full } from "./Home.ts"
import { platform } from "./Platform.ts"

Tier.oneIn(2)

describe("svc connect, for people", () => {
  it.effect("the report says what was done and what is left to do", () =>
    Effect.gen(function*() {
      const home = yield* full
      home.put(files["editor-assistant"], "{ not json")
      const service = platform()
      const { code, stderr, stdout } = yield* connectHuman(home, service)
      assert.strictEqual(code, 3)
      for (
        const line of [
          "Connecting to Acme Prod",
          "MCP URL: http://localhost:7777/mcp, as acme-prod",
          "  connected      Claude Code (2 tools) -> ~/.claude.json",
          "  connected      Codex (2 tools) -> ~/.codex/config.toml",
          "Connected 3 apps to Acme Prod.",
          "svc tokens revoke cli-assistant --url http://localhost:7777"
        ]
      ) assert.include(stdout, line)
      assert.notInclude(stdout, "revoke editor-assistant --url")
      assert.include(stderr, "  failed         Cursor: Refusing to modify ")
    }))

  it.effect("the report says how the token that all clients share is taken back, if this command made it", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const command = "svc tokens revoke team --url http://localhost:7777"
      assert.include((yield* connectHuman(home, service, ["--name", "team", "--clients", "cursor"])).stdout, command)
      assert.notInclude((yield* connectHuman(home, service, ["--name", "team"])).stdout, command)
    }))

  it.effect("the report says where an entry pointed, and how both can be kept", () =>
    Effect.gen(function*() {
      const home = yield* full
      const other = { "acme-prod": { url: "https://other.example/mcp" } }
      home.put(files["editor-assistant"], JSON.stringify({ mcpServers: other }))
      const service = platform()
      const { stdout } = yield* connectHuman(home, service, ["--clients", "cursor"])
      assert.include(stdout, "Connected 1 app to Acme Prod.\nRestart it to see its tools.\n")
      const kept = yield* connectHuman(home, service, ["--clients", "cursor", "--rotate", "--skip-existing"])
      assert.include(kept.stderr, "skipped        Cursor (acme-prod exists and was kept untouched)")
      assert.include(stdout, "acme-prod pointed at https://other.example/mcp in Cursor")
      assert.include(stdout, "--server-name")
    }))

  it.effect("the report says how each app signs in", () =>
    Effect.gen(function*() {
      const oauth = { authorization_servers: ["https://login.example"], resource: "http://localhost:7777/mcp" }
      const { stderr, stdout } = yield* connectHuman(yield* full, platform({ oauth }), [], { variables: {} })
      assert.include(stdout, "Protected by OAuth via https://login.example")
      assert.include(stdout, "Configured 4 apps for Acme Prod.")
      assert.match(
        stdout,
        /  2\. Claude Code: [^]*\n  3\. Claude Desktop: [^]*\n  4\. Codex: Run `codex mcp login acme-prod`/
      )
      assert.include(stderr, "  sign in        Codex")
    }))
})
