// `svc connect` and `svc disconnect` against the service of this project, on a port: nothing is made up but the
// machine.
import { assert, describe, it } from "@effect/vitest"
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf } from "../Cli.ts"
import type { Document } from "./Connecting.ts"
import { files, full, type Home, keys } from "./Home.ts"

const contents = (home: Home) => keys.map((key) => home.read(files[key]))

const ran = (home: Home, argv: ReadonlyArray<string>, token: string | undefined) =>
  Effect.gen(function*() {
    const run = yield* cli([...argv, "--json"], home, {
      http: (request) => fetch(request),
      variables: token === undefined ? {} : { PLATFORM_ADMIN_TOKEN: token }
    })
    return {
      code: run.code,
      text: run.stdout,
      document: documentOf<Document & { readonly revocations?: unknown }>(run)
    }
  })

/** How a service asks who is calling, and a credential that may make accounts there. */
interface Door {
  readonly authorization: AuthorizationOptions
  readonly token: string | undefined
}

const open: Door = { authorization: {}, token: undefined }
const keyed: Door = { authorization: { securityKey: "the-key" }, token: "the-key" }

const signed = Effect.fnUntraced(function*(home: Home) {
  const { publicJwk, sign } = yield* Tokens.issuer("RS256", "k1")
  const jwksFile = join(home.home, "jwks.json")
  writeFileSync(jwksFile, JSON.stringify({ keys: [publicJwk] }))
  const token = yield* sign({
    sub: "ann",
    scopes: ["platform:admin"],
    exp: Math.floor(Date.now() / 1000) + 3600
  })
  const door: Door = { authorization: { enabled: true, jwksFile }, token }
  return door
})

const cases: ReadonlyArray<readonly [mode: string, door: (home: Home) => Effect.Effect<Door>]> = [
  ["none", () => Effect.succeed(open)],
  ["security_key", () => Effect.succeed(keyed)],
  ["jwt", signed]
]

describe("a real service", () => {
  Tier.oneIn(3)

  for (const [mode, doorOf] of cases) {
    it.live(`all clients are connected, reconnected, rotated and disconnected with ${mode}`, () =>
      Effect.gen(function*() {
        const home = yield* full
        const { authorization, token } = yield* doorOf(home)
        const server = yield* TestServer.listen({ authorization })
        const before = contents(home)
        const at = ["--url", server.url]

        const first = yield* ran(home, ["connect", ...at], token)
        assert.strictEqual(first.code, 0, first.text)
        assert.deepInclude(first.document.os, { url: server.url, auth_mode: mode, discovered_via: "info" })
        for (const { status, verify } of first.document.results) {
          assert.strictEqual(status, "connected")
          assert.isAbove(Number(verify?.["tools"]), 0)
        }
        const hasTokens = mode !== "none"
        assert.deepStrictEqual(contents(home).map((text) => text.includes("svc_pat_")), keys.map(() => hasTokens))

        const again = yield* ran(home, ["connect", ...at], token)
        assert.deepStrictEqual(again.document.results.map(({ status }) => status), keys.map(() => "already-connected"))

        const anew = yield* ran(home, ["connect", "--rotate", ...at], token)
        assert.deepStrictEqual(
          anew.document.results.map(({ rotated, status }) => [status, rotated]),
          keys.map(() => ["connected", hasTokens ? true : undefined])
        )

        const gone = yield* ran(home, ["disconnect", ...at, ...(hasTokens ? ["--revoke"] : [])], token)
        assert.strictEqual(gone.code, 0, gone.text)
        assert.deepStrictEqual(
          gone.document.revocations,
          hasTokens ? keys.toSorted().map((account) => ({ account, status: "revoked", error: null })) : []
        )
        assert.deepStrictEqual(contents(home), before)
      }).pipe(Effect.scoped))
  }
})
