// Who can approve a client, and how long what they gave lasts.
import { assert, describe, it } from "@effect/vitest"
import {
  Authenticator,
  AuthorizationServer,
  type Claims,
  ClientDocuments,
  openSettings,
  Roles,
  ServiceAccounts,
  TokenVerifier
} from "@svc-runtime/auth"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const settings = {
  ...openSettings,
  mode: "jwt" as const,
  enforceScopes: true,
  jwt: { ...openSettings.jwt, dependenciesClaims: ["tenant"], sessionStateClaims: ["team"] }
}

const layer = (tokens: Readonly<Record<string, Claims>>) =>
  AuthorizationServer.layer({ adminScope: "platform:admin", connectSecret: Redacted.make("the connect secret") }).pipe(
    Layer.provide(Layer.succeed(ClientDocuments, { fetch: () => Effect.fail("There is none") })),
    Layer.provide(Authenticator.layer(settings)),
    Layer.provide(ServiceAccounts.layer({ adminScope: "platform:admin", cacheSeconds: 0 })),
    Layer.provide(Roles.layer({ adminScope: "platform:admin" })),
    Layer.provide([InMemory.ServiceAccountStore, InMemory.OAuthStore, TokenVerifier.layerTest(tokens)])
  )

const ann = { sub: "ann", scopes: ["agents:run"] }
const redirect_uri = "https://app.example/callback"
const verifier = "v".repeat(43)
// the SHA-256 of the verifier
const code_challenge = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM"
const day = 86_400

describe("who can approve a client", () => {
  it.effect.each<readonly [string, Claims, boolean]>([
    ["of a user", ann, true],
    ["of a session", { ...ann, session_id: "s1" }, false],
    ["with a claim for dependencies", { ...ann, tenant: "t" }, false],
    ["with a claim for the session state", { ...ann, team: "t" }, false]
  ])("a token %s approves a client: %s", ([, claims, isAccepted]) =>
    Effect.gen(function*() {
      const { recognize } = yield* AuthorizationServer
      assert.strictEqual((yield* recognize("token", undefined)) !== undefined, isAccepted)
      assert.isUndefined(yield* recognize("other", undefined))
      assert.isUndefined((yield* recognize("the connect secret", undefined))?.grants)
    }).pipe(Effect.provide(layer({ token: claims }))))
})

describe("the end of a grant", () => {
  it.effect("refresh tokens end after ninety days, however often they are replaced", () =>
    Effect.gen(function*() {
      const server = yield* AuthorizationServer
      const { client } = yield* server.register({ redirect_uris: [redirect_uri] })
      const id = yield* server.begin({ client, redirect_uri, state: null, scopes: ["agents:run"], code_challenge })
      const person = yield* server.recognize("the connect secret", undefined)
      const approved = yield* server.approve(id, person!)
      let tokens = yield* server.exchange({
        code: Redacted.value(approved!.code),
        client_id: client.id,
        redirect_uri,
        code_verifier: verifier
      })
      const refresh = () => server.refresh(Redacted.value(tokens.refresh), client.id)
      for (let month = 0; month < 3; month++) {
        yield* TestClock.adjust((30 * day - 60) * 1000)
        tokens = yield* refresh()
      }
      yield* TestClock.adjust(180_000)
      assert.strictEqual((yield* Effect.flip(refresh()))._tag, "OAuthError")
    }).pipe(Effect.provide(layer({}))))
})
