// What the service tells the console about signing in.
import { assert, describe, it } from "@effect/vitest"
import { defaultJwt } from "@svc-runtime/auth"
import * as ConsoleOAuth from "@svc-runtime/http/authorization/ConsoleOAuth"
import { Effect, Result } from "effect"
import { serve } from "../Wire.ts"

const jwt = { ...defaultJwt, issuer: "https://id.example.com/", audience: ["svc", "https://svc.example.com/"] }
const settings = { mode: "jwt", jwt } as unknown as Parameters<typeof ConsoleOAuth.resolve>[1]

describe("The sign-in of the console", () => {
  it.effect("A service without a client of the console says that there is no authorization server", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const answer = yield* server.fetch("/console/sign-in.json")
      assert.strictEqual(yield* Effect.promise(() => answer.text()), `{"oauth":null}`)
      assert.include(answer.headers.get("content-security-policy"), "connect-src 'self';")
    }))

  it("The issuer is that of the tokens, and the resource is an audience that is an address", () => {
    assert.deepStrictEqual(Result.getOrThrow(ConsoleOAuth.resolve("console", settings)), {
      issuer: "https://id.example.com/",
      clientId: "console",
      resource: "https://svc.example.com/"
    })
    assert.isUndefined(Result.getOrThrow(ConsoleOAuth.resolve(undefined, settings)))
  })

  it.each([
    ["an open service", { ...settings, mode: "none" as const }],
    ["no issuer", { ...settings, jwt: { ...jwt, issuer: undefined } }],
    ["an issuer that is no address", { ...settings, jwt: { ...jwt, issuer: "me" } }],
    ["an issuer without encryption", { ...settings, jwt: { ...jwt, issuer: "http://id.example.com/" } }]
  ])("A client of the console stops the start with %s", (_, given) => {
    assert.isTrue(Result.isFailure(ConsoleOAuth.resolve("console", given)))
  })
})
