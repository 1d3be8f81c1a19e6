// `svc api`: any request, with the address and the credential of the other commands.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf, place } from "./Cli.ts"
import { alive, fakeService, Refusal } from "./FakeService.ts"

const at7777 = "http://localhost:7777"
const budget = { id: "b", name: "all" }

const responding = () =>
  fakeService({
    [at7777]: {
      ...alive(),
      "GET /budgets": { data: [budget] },
      "POST /budgets": budget,
      "DELETE /budgets/b": new Refusal(404, { detail: "Budget not found", error_code: "NOT_FOUND" })
    }
  })

const variables = { PLATFORM_ADMIN_TOKEN: "secret" }

describe("svc api", () => {
  it.effect("a path is read with the credential, and its JSON is printed", () =>
    Effect.gen(function*() {
      const service = responding()
      const ran = yield* cli(["api", "/budgets", "--url", at7777, "--json"], yield* place, {
        http: service.http,
        variables
      })
      assert.deepStrictEqual(documentOf<object>(ran), { data: [budget] })
      assert.strictEqual(service.requests.at(-1)?.headers.get("authorization"), "Bearer secret")
    }))

  it.effect("a body is sent as it is: as an argument, of a file, with POST or another method", () =>
    Effect.gen(function*() {
      const directory = yield* place
      writeFileSync(join(directory.cwd, "budget.json"), `{"name":"all"}`)
      for (const more of [["/budgets", "--data", `{"name":"all"}`], ["post", "/budgets", "-d", "@budget.json"]]) {
        const service = responding()
        const ran = yield* cli(["api", ...more, "--url", at7777, "--json"], directory, {
          http: service.http,
          variables
        })
        assert.deepStrictEqual<unknown>(documentOf(ran), budget)
        const { body, headers, method } = service.requests.at(-1)!
        assert.deepStrictEqual([method, body], ["POST", `{"name":"all"}`])
        assert.strictEqual(headers.get("content-type"), "application/json")
      }
    }))

  it.effect("an error of the service is the error of the command", () =>
    Effect.gen(function*() {
      const { http } = responding()
      const ran = yield* cli(["api", "DELETE", "/budgets/b", "--url", at7777, "--json"], yield* place, {
        http,
        variables
      })
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(documentOf(ran).error, "DELETE /budgets/b failed: Budget not found (HTTP 404)")
    }))

  it.effect.each([
    "@evil.example/",
    "//evil.example/",
    "http://evil.example/",
    "budgets",
    ".evil.example/",
    "\\\\evil"
  ])(
    "the credential is sent to the service only: %s",
    (path) =>
      Effect.gen(function*() {
        const service = responding()
        const ran = yield* cli(["api", path, "--url", at7777], yield* place, { http: service.http, variables })
        if (path === "//evil.example/") assert.isTrue(service.requests.every(({ url }) => url.startsWith(at7777)))
        else assert.include(ran.stderr + ran.stdout, "Expected a path of the service")
        assert.notStrictEqual(ran.code, 0)
      })
  )

  it.effect.each(
    [[["api", "LOOK", "/budgets"], "Invalid method: LOOK"], [["api", "/budgets", "-d", "{"], "it is no JSON"], [
      ["api", "/budgets", "-d", "@missing.json"],
      "Could not read missing.json: no such file or directory"
    ]] as const
  )("what cannot be sent is refused with the reason: %#", ([argv, reason]) =>
    Effect.gen(function*() {
      const service = responding()
      const ran = yield* cli([...argv, "--url", at7777], yield* place, { http: service.http, variables })
      assert.notStrictEqual(ran.code, 0)
      assert.include(ran.stderr + ran.stdout, reason)
      assert.isEmpty(service.requests.filter(({ url }) => url.includes("/budgets")))
    }))
})
