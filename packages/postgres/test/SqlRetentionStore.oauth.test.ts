// What retention removes of the authorization server.
import { assert, it } from "@effect/vitest"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { fillOAuth } from "./oauthCalls.ts"

it.live("expired clients, requests, grants and tokens are removed in pieces, and the others stay", () =>
  Effect.gen(function*() {
    const [sql, store] = [yield* SqlClient.SqlClient, yield* RetentionStore]
    yield* fillOAuth(1200)
    yield* sql`update svc_oauth_clients set expires_at = 10 where id like '%5'`
    yield* sql`update svc_oauth_grants set expires_at = 10 where id like '%7'`
    yield* sql`update svc_oauth_tokens set expires_at = 10 where kind = 'access'`
    yield* sql`
      insert into svc_oauth_requests (id_hash, client_id, redirect_uri, scopes, code_challenge, expires_at)
      values ('old', 'c', 'https://a.example/', '{}', 'x', 10), ('new', 'c', 'https://a.example/', '{}', 'x', 4000000000)`
    let pieces = 0
    while ((yield* store.prune("oauth", 0)) > 0) pieces++
    assert.isAbove(pieces, 1)
    const [left] = yield* sql`
      select (select count(*)::int from svc_oauth_clients) as clients,
        (select count(*)::int from svc_oauth_grants) as grants,
        (select count(*)::int from svc_oauth_tokens) as tokens,
        (select string_agg(id_hash, ',') from svc_oauth_requests) as requests`
    assert.deepStrictEqual(left, { clients: 1080, grants: 1080, tokens: 1080, requests: "new" })
  }).pipe(Effect.provide(SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer)))))
