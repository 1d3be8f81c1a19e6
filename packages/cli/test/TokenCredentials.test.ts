// `svc tokens`: the credential, which addresses are trusted with it, and services without authentication.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { documentOf, type Place } from "./Cli.ts"
import { alive, Refusal } from "./FakeService.ts"
import { admin, against, closed, local, minted } from "./TokenService.ts"

const far = "http://far.example"

describe("the credential", () => {
  const list = { ...closed, "GET /service-accounts": [] }

  it.effect("the credential is PLATFORM_ADMIN_TOKEN, else OS_SECURITY_KEY, and an empty one is ignored", () =>
    Effect.gen(function*() {
      for (
        const [variables, sentAs] of [
          [{ PLATFORM_ADMIN_TOKEN: "a", OS_SECURITY_KEY: "b" }, "Bearer a"],
          [{ PLATFORM_ADMIN_TOKEN: "", OS_SECURITY_KEY: "b" }, "Bearer b"]
        ] as const
      ) {
        const { run, sent } = against(list)
        yield* run(["list", "--json"], { variables })
        assert.strictEqual(sent()[0]?.headers.get("authorization"), sentAs)
      }
    }))

  it.effect("a person types the credential when the service authenticates, and the error for a script names the variable", () =>
    Effect.gen(function*() {
      const person = against(list)
      const ran = yield* person.run(["list"], { terminal: true, replies: ["typed"] })
      assert.deepStrictEqual(ran.questions, ["Administrative credential"])
      assert.strictEqual(person.sent()[0]?.headers.get("authorization"), "Bearer typed")
      assert.notInclude(ran.stdout + ran.stderr, "typed")
      for (const machine of [{}, { terminal: true }]) {
        const script = against(list)
        const refused = yield* script.run(["list", "--json"], machine)
        assert.strictEqual(refused.code, 1)
        assert.include(documentOf(refused).error, "security_key")
        assert.include(documentOf(refused).hint ?? "", "PLATFORM_ADMIN_TOKEN")
        assert.deepStrictEqual(script.sent(), [])
      }
    }))

  it.effect("a service without authentication is listed with no credential, or with the exported one", () =>
    Effect.gen(function*() {
      for (const [variables, sentAs] of [[{}, null], [admin, "Bearer the admin"]] as const) {
        const { run, sent } = against({ ...alive(), "GET /service-accounts": [] })
        yield* run(["list", "--json"], { variables, terminal: true })
        assert.strictEqual(sent()[0]?.headers.get("authorization"), sentAs)
      }
    }))

  it.effect("the credential is never sent over plain HTTP to another machine, unless that is allowed", () =>
    Effect.gen(function*() {
      for (const argv of [["list"], ["revoke", "ci"], ["create", "ci"]]) {
        const { run, sent } = against({ ...list, "POST /service-accounts": minted }, far)
        const ran = yield* run([...argv, "--url", far, "--json"], { variables: admin })
        assert.strictEqual(ran.code, 1)
        assert.include(documentOf(ran).error, `Refusing to send the admin credential to ${far}`)
        assert.include(documentOf(ran).error, "plaintext HTTP")
        assert.include(documentOf(ran).hint ?? "", "--allow-http")
        assert.deepStrictEqual(sent(), [])
      }
      const allowed = against(list, far)
      const ran = yield* allowed.run(["list", "--url", far, "--allow-http", "--json"], { variables: admin })
      assert.strictEqual(ran.code, 0)
      const secure = against(list, "https://far.example")
      assert.strictEqual((yield* secure.run(["list", "--url", "https://far.example"], { variables: admin })).code, 0)
    }))

  it.effect("a new token is not requested over plain HTTP either", () =>
    Effect.gen(function*() {
      const { run, sent } = against({ ...alive(), "GET /service-accounts": new Refusal(401, {}) }, far)
      const ran = yield* run(["create", "ci", "--url", far, "--json"])
      assert.include(documentOf(ran).error, "plaintext HTTP")
      assert.isFalse(sent().some(({ method }) => method === "POST"))
      const plain = against({ ...alive(), "GET /service-accounts": [] }, far)
      assert.strictEqual((yield* plain.run(["list", "--url", far, "--json"])).code, 0)
    }))
})

describe("trust", () => {
  const remote = "https://far.example"
  const routes = { ...closed, "GET /service-accounts": [] }
  const byEnvFile = (at: Place) => at.write(".env", `PLATFORM_URL=${remote}`)

  it.effect("a remote address of an env file gets no credential before a person trusts it", () =>
    Effect.gen(function*() {
      const script = against(routes, remote)
      const refused = yield* script.run(["list", "--json"], { variables: admin }, byEnvFile)
      assert.strictEqual(refused.code, 1)
      assert.include(documentOf(refused).error, "remote host")
      assert.include(documentOf(refused).error, remote)
      for (const text of ["--url", "--yes"]) assert.include(documentOf(refused).hint ?? "", text)
      assert.deepStrictEqual(script.sent(), [])
      const trusted = yield* script.run(["list", "--yes", "--json"], { variables: admin }, byEnvFile)
      assert.strictEqual(trusted.code, 0)
    }))

  it.effect("a person is asked whether to trust an address, and can refuse", () =>
    Effect.gen(function*() {
      const person = against(routes, remote)
      const machine = { variables: admin, terminal: true }
      const no = yield* person.run(["list"], { ...machine, replies: [false] }, byEnvFile)
      assert.strictEqual(no.code, 1)
      assert.include(no.stderr, "did not trust")
      assert.deepStrictEqual(no.questions, [`Trust PLATFORM_URL=${remote} (from .env)?`])
      assert.deepStrictEqual(person.sent(), [])
      const yes = yield* person.run(["list"], { ...machine, replies: [true] }, byEnvFile)
      assert.strictEqual(yes.code, 0)
    }))

  it.effect("addresses that were typed, exported or belong to this machine are trusted", () =>
    Effect.gen(function*() {
      const person = against(routes, remote)
      assert.strictEqual((yield* person.run(["list", "--url", remote], { variables: admin }, byEnvFile)).code, 0)
      const exported = { variables: { ...admin, PLATFORM_URL: remote } }
      assert.strictEqual((yield* person.run(["list"], exported)).code, 0)
      const here = against(routes)
      const byFile = (at: Place) => at.write(".env", `PLATFORM_URL=${local}`)
      assert.strictEqual((yield* here.run(["list"], { variables: admin }, byFile)).code, 0)
    }))
})

describe("a credential of the environment", () => {
  it.effect("white space around a credential is ignored, and one that no header can have is not sent", () =>
    Effect.gen(function*() {
      const service = against({ ...closed, "GET /service-accounts": [] })
      assert.strictEqual(
        (yield* service.run(["list"], { variables: { PLATFORM_ADMIN_TOKEN: " the admin\n" } })).code,
        0
      )
      assert.strictEqual(service.sent()[0]?.headers.get("authorization"), "Bearer the admin")
      const blank = { PLATFORM_ADMIN_TOKEN: " \n", OS_SECURITY_KEY: "key" }
      yield* service.run(["list"], { variables: blank })
      assert.strictEqual(service.sent()[1]?.headers.get("authorization"), "Bearer key")
      const ran = yield* service.run(["list", "--json"], { variables: { PLATFORM_ADMIN_TOKEN: "a\nsecret" } })
      assert.include(documentOf(ran).error, "The admin credential is malformed")
      assert.notInclude(ran.stdout, "secret")
      assert.lengthOf(service.sent(), 2)
    }))

  it.effect("an empty detail of a refusal is none", () =>
    Effect.gen(function*() {
      const { run } = against({ ...closed, "GET /service-accounts": new Refusal(401, { detail: "" }) })
      assert.include(documentOf(yield* run(["list", "--json"], { variables: admin })).error, "(HTTP 401)")
    }))
})

describe("a service without authentication", () => {
  it.effect("a service without authentication mints for the token of a service account alone", () =>
    Effect.gen(function*() {
      const routes = { ...alive(), "GET /service-accounts": [], "POST /service-accounts": minted }
      const cases = [
        [{ PLATFORM_ADMIN_TOKEN: "svc_pat_admin" }, 0, ""],
        [{ PLATFORM_ADMIN_TOKEN: "agno_pat_admin" }, 0, ""],
        [admin, 1, "only a service-account token"],
        [{}, 1, "no authentication configured"]
      ] as const
      for (const [variables, code, text] of cases) {
        const { run } = against(routes)
        const ran = yield* run(["create", "ci", "--json"], { variables })
        assert.strictEqual(ran.code, code)
        if (code === 1) {
          assert.include(documentOf(ran).error, text)
          assert.include(documentOf(ran).hint ?? "", "OS_SECURITY_KEY")
        }
      }
      const anonymous = yield* against(routes).run(["create", "ci", "--json"])
      assert.include(documentOf(anonymous).error, "refuses anonymous minting")
    }))

  it.effect("a service without authentication is tried when a proxy before it may know the caller", () =>
    Effect.gen(function*() {
      const guarded = against({
        ...alive(),
        "GET /service-accounts": new Refusal(403, {}),
        "POST /service-accounts": minted
      })
      assert.strictEqual((yield* guarded.run(["create", "ci", "--json"])).code, 0)
    }))
})
