// `svc openapi`: the document of the service, and the error without one.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cli, documentOf, place } from "./Cli.ts"
import { alive, fakeService } from "./FakeService.ts"

const at7777 = "http://localhost:7777"
const openapi = { openapi: "3.1.0", paths: {} }

describe("svc openapi", () => {
  it.effect("the document of the service is printed, with --json and without, and no credential is sent", () =>
    Effect.gen(function*() {
      const service = fakeService({ [at7777]: { ...alive(), "GET /openapi.json": openapi } })
      const machine = { http: service.http, variables: { PLATFORM_ADMIN_TOKEN: "never sent" } }
      for (const argv of [["openapi", "--url", at7777], ["openapi", "--json"]]) {
        const ran = yield* cli(argv, yield* place, machine)
        assert.strictEqual(ran.code, 0)
        assert.deepStrictEqual(documentOf<object>(ran), openapi)
      }
      for (const { headers } of service.requests) assert.isNull(headers.get("authorization"))
    }))

  it.effect("a service that serves no document, or no JSON, is an error that says what to do", () =>
    Effect.gen(function*() {
      for (const [more, reason] of [[{}, "HTTP 404"], [{ "GET /openapi.json": "<html>" }, "it is no JSON"]] as const) {
        const { http } = fakeService({ [at7777]: { ...alive(), ...more } })
        const ran = yield* cli(["openapi", "--url", at7777], yield* place, { http })
        assert.strictEqual(ran.code, 1)
        const { error, hint } = documentOf(ran)
        assert.strictEqual(error, `Could not read ${at7777}/openapi.json: ${reason}`)
        assert.include(hint, "DOCS_ENABLED=false")
      }
      const broken = () => {
        throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })
      }
      const { http } = fakeService({ [at7777]: { ...alive(), "GET /openapi.json": broken } })
      const ran = yield* cli(["openapi", "--url", at7777], yield* place, { http })
      assert.strictEqual(documentOf(ran).error, `Could not read ${at7777}/openapi.json: read ECONNRESET`)
    }))
})
