// The published program against the service of this project, on a real port: open, closed by a key, and closed by
// scopes.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { build, type Ended, inTerminal, noTerminal, run } from "./Process.ts"

Tier.oneIn(10)

beforeAll(async () => {
  await build()
})

const key = "a key that cannot be guessed, for a test"

const svc = (argv: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => run([...argv, "--json"], { env }))

const documentOf = <A>({ stderr, stdout }: Ended): A => {
  assert.strictEqual(stderr, "")
  return JSON.parse(stdout)
}

interface Failure {
  readonly error: string
}

interface Account {
  readonly name: string
  readonly token?: string
  readonly scopes: ReadonlyArray<string>
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

describe("against the service", () => {
  it.live("status shows how the service authorizes", () =>
    Effect.scoped(Effect.gen(function*() {
      for (
        const [authorization, mode] of [[undefined, "none"], [{ securityKey: key }, "security_key"]] as const
      ) {
        const { url } = yield* TestServer.listen({ authorization })
        const { os } = documentOf<{ os: Record<string, unknown> }>(yield* svc(["status", "--url", url], {}))
        assert.strictEqual(os["auth_mode"], mode)
        assert.strictEqual(os["discovered_via"], "info")
        assert.strictEqual(os["name"], "Svc")
      }
    })))

  it.live("a token is made, works, is listed, and stops working when it is revoked", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ authorization: { securityKey: key } })
      const env = { PLATFORM_URL: url, OS_SECURITY_KEY: key }
      const made = documentOf<Account>(
        yield* svc(["tokens", "create", "ci", "-s", "config:read", "--expires", "never"], env)
      )
      assert.deepStrictEqual(made.scopes, ["config:read"])
      assert.isNull(made.expires_at)
      const call = () =>
        Effect.promise(() => fetch(`${url}/config`, { headers: { authorization: `Bearer ${made.token}` } }))
      assert.strictEqual((yield* call()).status, 200)

      const again = yield* svc(["tokens", "create", "ci"], env)
      assert.strictEqual(again.code, 1)
      assert.include(documentOf<Failure>(again).error, "already exists")

      const listed = yield* svc(["tokens", "list"], env)
      assert.notInclude(listed.stdout, String(made.token))
      const [found] = documentOf<{ service_accounts: ReadonlyArray<Account> }>(listed).service_accounts
      assert.strictEqual(found?.name, "ci")

      const { revoked } = documentOf<{ revoked: Account }>(yield* svc(["tokens", "revoke", "ci"], env))
      assert.isNumber(revoked.revoked_at)
      assert.strictEqual((yield* call()).status, 401)
      assert.strictEqual((yield* svc(["tokens", "revoke", "ci"], env)).code, 1)
    })))

  it.live("privileged scopes need --privileged, and a wrong credential differs from a missing one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ authorization: { securityKey: key } })
      const env = { PLATFORM_URL: url, PLATFORM_ADMIN_TOKEN: key }
      const refused = yield* svc(["tokens", "create", "w", "-s", "sessions:write"], env)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stdout, "--privileged")
      const allowed = yield* svc(["tokens", "create", "w", "-s", "sessions:write", "--privileged"], env)
      assert.strictEqual(allowed.code, 0)
      const wrong = yield* svc(["tokens", "list"], { ...env, PLATFORM_ADMIN_TOKEN: "another" })
      assert.include(documentOf<Failure>(wrong).error, "rejected the admin credential")
      const missing = yield* svc(["tokens", "list"], { PLATFORM_URL: url })
      assert.include(documentOf<Failure>(missing).error, "security_key")
    })))

  it.live.skipIf(noTerminal !== undefined)(
    "a person types the credential unseen, and is asked before an account is revoked",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { url } = yield* TestServer.listen({ authorization: { securityKey: key } })
        const env = { PLATFORM_URL: url }
        yield* svc(["tokens", "create", "ci"], { ...env, OS_SECURITY_KEY: key })
        const revoke = (answer: string) =>
          Effect.promise(() =>
            inTerminal(
              ["tokens", "revoke", "ci"],
              [["Administrative credential", `${key}\r`], ["Revoke ci", answer]],
              { env }
            )
          )
        const kept = yield* revoke("\r")
        assert.strictEqual(kept.code, 0)
        assert.include(kept.stdout, "Nothing was changed")
        assert.notInclude(kept.stdout, key)
        const revoked = yield* revoke("y\r")
        assert.strictEqual(revoked.code, 0)
        assert.include(revoked.stdout, "Revoked ci")
      }))
  )

  it.live("an open service gives no tokens to callers without a credential", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* TestServer.listen({})
      const env = { PLATFORM_URL: url }
      const refused = yield* svc(["tokens", "create", "ci"], env)
      assert.strictEqual(refused.code, 1)
      assert.include(documentOf<Failure>(refused).error, "refuses anonymous minting")
      const key = yield* svc(["tokens", "create", "ci"], { ...env, OS_SECURITY_KEY: "any" })
      assert.include(documentOf<Failure>(key).error, "only a service-account token")
    })))
})
