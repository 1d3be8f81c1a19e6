// `svc disconnect --revoke`: the accounts of the clients.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { cli, documentOf, type Machine } from "../Cli.ts"
import { connect, withKey } from "../connect/Connecting.ts"
import { files, full, keys } from "../connect/Home.ts"
import { platform } from "../connect/Platform.ts"
import { all, contents, disconnect, statuses } from "./Disconnecting.ts"

Tier.oneIn(3)

describe("svc disconnect --revoke", () => {
  it.effect("disconnect revokes the accounts of the clients, after their entries are removed", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service)
      const { code, document } = yield* disconnect(home, ["--revoke"], { http: service.http, variables: withKey })
      assert.strictEqual(code, 0)
      assert.strictEqual(document.os?.["url"], service.url)
      assert.deepStrictEqual(document.target_urls, [service.url])
      assert.deepStrictEqual(
        document.revocations,
        keys.toSorted().map((account) => ({ account, status: "revoked", error: null }))
      )
      assert.deepStrictEqual(service.active(), [])
      const again = yield* disconnect(home, ["--revoke"], { http: service.http, variables: withKey })
      assert.deepStrictEqual(again.document.revocations.map(({ status }) => status), all("not-found"))
      assert.strictEqual(again.code, 0)
    }))

  it.effect("disconnect revokes the one account that is named", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service, ["--name", "team"])
      const { document } = yield* disconnect(home, ["--revoke", "--name", "team"], {
        http: service.http,
        variables: withKey
      })
      assert.deepStrictEqual(document.revocations, [{ account: "team", status: "revoked", error: null }])
      assert.deepStrictEqual(service.active(), [])
    }))

  it.effect("disconnect changes nothing when no service responds, it is not trusted, or there is no credential", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service)
      const before = contents(home)
      const remote = platform({ address: "http://agents.example" })
      const runs: ReadonlyArray<readonly [ReadonlyArray<string>, Machine, string]> = [
        [[], { variables: withKey }, "No running"],
        [[], { http: service.http }, "security_key"],
        [["--url", remote.url], { http: remote.http, variables: withKey }, "plaintext HTTP"],
        [
          ["--url", remote.url],
          { http: platform({ address: remote.url, auth_mode: "none" }).http, variables: withKey },
          "plaintext HTTP"
        ]
      ]
      for (const [argv, machine, problem] of runs) {
        const ran = yield* cli(["disconnect", "--revoke", ...argv, "--json"], home, machine)
        assert.strictEqual(ran.code, 1, problem)
        assert.include(documentOf(ran).error, problem)
      }
      home.write(".env", "PLATFORM_URL=https://agents.example")
      const found = platform({ address: "https://agents.example" })
      const untrusted = yield* cli(["disconnect", "--revoke", "--json"], home, { http: found.http, variables: withKey })
      assert.include(documentOf(untrusted).error, "remote host")
      assert.deepStrictEqual(contents(home), before)
    }))

  it.effect("disconnect revokes accounts of other names whose tokens it removed", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service, ["--name", "claude-code", "--clients", "claude-code"])
      yield* connect(home, service, ["--name", "unrelated", "--clients", "chatgpt,codex", "--server-name", "other"])
      const entry = { "other": { "url": "https://elsewhere.example/mcp" } }
      home.put(files["terminal-assistant"], "")
      home.put(files["editor-assistant"], JSON.stringify({ mcpServers: entry }))
      const { code, document } = yield* disconnect(home, ["--revoke"], { http: service.http, variables: withKey })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(document.revocations, [
        ...keys.toSorted().map((account) => ({ account, status: "not-found", error: null })),
        { account: "claude-code", status: "revoked", error: null }
      ])
      assert.deepStrictEqual(service.active().map(({ name }) => name), ["unrelated"])
    }))

  it.effect("disconnect says that a removed token is left, when its account is not revoked", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      const machine = { http: service.http, variables: withKey }
      const left = "belong to no account that was revoked"
      const isLeft = Effect.map(disconnect(home, ["--revoke"], machine), ({ document }) => document.tokens_left)
      const servers = { mine: { url: `${service.url}/mcp`, headers: { Authorization: "Bearer svc_pat_unknown" } } }
      for (const name of [["--name", "none"], []]) {
        home.put(files["editor-assistant"], JSON.stringify({ mcpServers: servers }))
        const ran = yield* cli(["disconnect", "--revoke", ...name], home, machine)
        assert.strictEqual(ran.code, 0)
        assert.include(ran.stderr, left)
        assert.include(ran.stderr, `svc tokens list --url ${service.url}`)
      }
      home.put(files["editor-assistant"], JSON.stringify({ mcpServers: servers }))
      assert.isTrue(yield* isLeft)
      yield* connect(home, service, ["--clients", "cursor"])
      assert.isFalse(yield* isLeft)
      yield* connect(home, service, ["--clients", "cursor"])
      assert.notInclude((yield* cli(["disconnect", "--revoke"], home, machine)).stderr, left)
    }))

  it.effect("disconnect ends with 3 when entries were removed and an account was not", () =>
    Effect.gen(function*() {
      const home = yield* full
      const service = platform()
      yield* connect(home, service)
      const { code, document } = yield* disconnect(home, ["--revoke"], {
        http: service.http,
        variables: { PLATFORM_ADMIN_TOKEN: "wrong" }
      })
      assert.strictEqual(code, 3)
      assert.deepStrictEqual(statuses(document), all("removed"))
      for (const { error, status } of document.revocations) {
        assert.strictEqual(status, "failed")
        assert.match(error ?? "", /rejected the admin credential \(.*\)\. Export PLATFORM_ADMIN_TOKEN/)
      }
    }))
})
