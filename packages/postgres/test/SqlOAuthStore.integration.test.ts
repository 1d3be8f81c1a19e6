// What only several nodes on one database can show.
import { assert, it } from "@effect/vitest"
import {
  Authenticator,
  AuthorizationServer,
  ClientDocuments,
  GrantTokens,
  OAuthTokens,
  openSettings,
  Roles,
  ServiceAccounts,
  TokenVerifier
} from "@svc-runtime/auth"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Context, Effect, Layer, Logger, Redacted, Result } from "effect"
import { createHash } from "node:crypto"
import * as Migrations from "../src/Migrations.ts"
import * as Postgres from "../src/Postgres.ts"
import * as SqlOAuthStore from "../src/SqlOAuthStore.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

const stores = Layer.merge(SqlOAuthStore.layer, SqlServiceAccountStore.layer).pipe(Layer.provide(Migrations.layer))

const adminScope = "platform:admin"

/** Everything of its own, connections too, but for the database. */
const node = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const layer = Layer.merge(
    AuthorizationServer.layer({ adminScope, connectSecret: Redacted.make("the connect secret") }),
    GrantTokens.layer
  ).pipe(
    Layer.provide(Layer.succeed(ClientDocuments, { fetch: () => Effect.fail("There is none") })),
    Layer.provide(Authenticator.layer(openSettings)),
    Layer.provide(ServiceAccounts.layer({ adminScope, cacheSeconds: 0 })),
    Layer.provide(Roles.layer({ adminScope })),
    Layer.provide([stores, TokenVerifier.layerDisabled]),
    Layer.provide(Postgres.layer({ url }))
  )
  const built = yield* Layer.build(Layer.fresh(layer))
  return { server: Context.get(built, AuthorizationServer), tokens: Context.get(built, OAuthTokens) }
})

type Node = Effect.Success<ReturnType<typeof node>>

const redirect_uri = "https://app.example/callback"
const code_verifier = "v".repeat(43)
const code_challenge = createHash("sha256").update(code_verifier).digest("base64url")

/** A code of one node. */
const approvedCode = Effect.fnUntraced(function*({ server }: Node) {
  const { client } = yield* server.register({ redirect_uris: [redirect_uri] })
  const id = yield* server.begin({ client, redirect_uri, state: null, scopes: ["agents:run"], code_challenge })
  const person = yield* server.recognize("the connect secret", undefined)
  const approved = yield* server.approve(id, person!)
  return { client_id: client.id, code: Redacted.value(approved!.code), redirect_uri, code_verifier }
})

const twoNodes = Effect.gen(function*() {
  const url = yield* PostgresLayer.url
  return [yield* node(url), yield* node(url)] as const
})

it.live("a code of one node is exchanged on another, once, and a race for it leaves no token", () =>
  Effect.gen(function*() {
    const nodes = yield* twoNodes
    const request = yield* approvedCode(nodes[0])
    const results = yield* Effect.forEach(
      [...nodes, ...nodes],
      ({ server }) => Effect.result(server.exchange(request)),
      { concurrency: "unbounded" }
    )
    const [given, ...more] = results.flatMap((result) => Result.isSuccess(result) ? [result.success] : [])
    assert.isDefined(given)
    assert.deepStrictEqual(more, [])
    for (const { tokens } of nodes) {
      assert.strictEqual((yield* Effect.flip(tokens.authenticate(given!.access)))._tag, "TokenRejected")
    }
  }).pipe(Effect.provide(Logger.layer([]))))

it.live("a refresh token that two nodes get at once is replaced once, and its grant ends on both", () =>
  Effect.gen(function*() {
    const nodes = yield* twoNodes
    const request = yield* approvedCode(nodes[0])
    const first = yield* nodes[1].server.exchange(request)
    for (const { tokens } of nodes) assert.strictEqual((yield* tokens.authenticate(first.access)).credential, "oauth")
    const refresh = ({ server }: Node) =>
      Effect.result(server.refresh(Redacted.value(first.refresh), request.client_id))
    const results = yield* Effect.forEach(nodes, refresh, { concurrency: "unbounded" })
    const given = results.flatMap((result) => Result.isSuccess(result) ? [result.success] : [])
    assert.lengthOf(given, 1)
    for (const { tokens } of nodes) {
      for (const access of [first.access, given[0]!.access]) {
        assert.strictEqual((yield* Effect.flip(tokens.authenticate(access)))._tag, "TokenRejected")
      }
    }
  }).pipe(Effect.provide(Logger.layer([]))))
