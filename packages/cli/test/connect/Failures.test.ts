// `svc connect` with credentials and files that do less than it needs: its report, and which accounts are left.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { systemError } from "effect/PlatformError"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { connect, connectHuman } from "./Connecting.ts"
import { files, full } from "./Home.ts"
import { platform } from "./Platform.ts"

describe("svc connect", () => {
  it.effect("a credential that may only create accounts suffices, and is not reported as accepted", () =>
    Effect.gen(function*() {
      const service = platform()
      const http = (request: Request) =>
        request.method === "GET" && request.url.includes("/service-accounts")
          ? Response.json({ detail: "Insufficient scopes" }, { status: 403 })
          : service.http(request)
      const { code, stdout } = yield* connectHuman(yield* full, service, ["--clients", "cursor"], { http })
      assert.strictEqual(code, 0)
      assert.notInclude(stdout, "The credential was accepted.")
      assert.include((yield* connectHuman(yield* full, platform())).stdout, "The credential was accepted.")
    }))

  it.effect("a token that replaces the one of another service is a rotated one", () =>
    Effect.gen(function*() {
      const home = yield* full
      const url = "https://other.example/mcp"
      const other = { "acme-prod": { url, headers: { Authorization: "Bearer old" } } }
      home.put(files["editor-assistant"], JSON.stringify({ mcpServers: other }))
      const { document } = yield* connect(home, platform(), ["--clients", "cursor"])
      assert.deepInclude(document.results[0], { status: "connected", replaced_url: url, rotated: true })
    }))

  it.effect("an old entry that cannot be removed is not reported as replaced, nor is its token", () =>
    Effect.gen(function*() {
      const home = yield* full
      const oauth = { authorization_servers: ["http://localhost:7777/"], resource: "http://localhost:7777/mcp" }
      const service = platform({ oauth })
      const project = join(home.cwd, ".mcp.json")
      const old = { type: "http", url: service.mcpUrl, headers: { Authorization: "Bearer old" } }
      home.put(project, JSON.stringify({ mcpServers: { svc: old } }))
      const cause = Object.assign(new Error("no"), { code: "EACCES" })
      const denied = systemError({ _tag: "PermissionDenied", module: "FileSystem", method: "rename", cause })
      const { document } = yield* connect(home, service, ["--clients", "claude-code"], {
        files: (files) => ({
          ...files,
          rename: (from, to) => to.endsWith(".mcp.json") ? Effect.fail(denied) : files.rename(from, to)
        })
      })
      const [row] = document.results
      assert.strictEqual(row?.status, "needs-login")
      assert.include(row?.note, "The old entry svc could not be removed: Could not write")
      assert.include(row?.note, "permission denied.")
      assert.notProperty(row, "replaced_legacy")
      assert.notProperty(row, "replaced_token_entry")
      assert.deepStrictEqual(home.json(project).mcpServers, { svc: old })
    }))

  it.effect("an account whose entry cannot be written for an unexpected reason is revoked", () =>
    Effect.gen(function*() {
      const service = platform()
      const { code, document } = yield* connect(yield* full, service, ["--clients", "cursor"], {
        files: (files) => ({ ...files, rename: () => Effect.die(new Error("odd")) })
      })
      assert.strictEqual(code, 1)
      assert.deepInclude(document.results[0], { status: "failed", error: "Unexpected failure: Error: odd" })
      assert.include(document.results[0]?.note, "was revoked again")
      assert.deepStrictEqual(service.active(), [])
    }))

  it.effect("an account is not replaced on a full disk, and nothing is left of the attempt", () =>
    Effect.gen(function*() {
      const service = platform()
      const home = yield* full
      yield* connect(home, service, ["--clients", "cursor"])
      const [accounts, before] = [service.active(), home.read(files["editor-assistant"])]
      const cause = Object.assign(new Error("no"), { code: "ENOSPC" })
      const isFull = Effect.fail(systemError({ _tag: "Unknown", module: "FileSystem", method: "write", cause }))
      const { document } = yield* connect(home, service, ["--clients", "cursor", "--rotate"], {
        files: (files) => ({
          ...files,
          open: (path, options) =>
            Effect.map(
              files.open(path, options),
              (file) => Object.assign(Object.create(file), { writeAll: () => isFull })
            )
        })
      })
      const [row] = document.results
      assert.strictEqual(row?.status, "failed")
      assert.match(row?.error ?? "", /no space is left on the device\. Make room on the disk, then run this again\.$/)
      assert.isUndefined(row?.note)
      assert.deepStrictEqual(service.active(), accounts)
      assert.strictEqual(home.read(files["editor-assistant"]), before)
      assert.deepStrictEqual(readdirSync(join(home.home, ".cursor")), ["mcp.json"])
    }))
})
