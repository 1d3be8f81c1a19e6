// Calls of the store of the authorization server, for the tests of plans and of faults.
import { OAuthStore } from "@svc-runtime/auth"
import { client, grant, many, now, request, tokens } from "@svc-runtime/test-support/suites/oauth/Grants"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Each grant has two tokens, and nothing has expired. */
export const fillOAuth = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_oauth_clients (id, name, redirect_uris, created_at)
    select 'client-' || number, 'App', '{https://a.example/}', 1 from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_oauth_grants (id, client_id, user_id, scopes, created_at, expires_at, code_hash, code_challenge,
      redirect_uri, code_expires_at, code_used_at)
    select 'grant-' || number, 'client-' || number, 'user-' || number, '{agents:run}', 1, 4000000000 + number,
      'code-' || number, 'challenge', 'https://a.example/', 300, 2 from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_oauth_tokens (token_hash, grant_id, kind, expires_at)
    select kind || '-' || number, 'grant-' || number, kind, 4000000000 + number
    from generate_series(1, ${rows}::int) as number cross join unnest('{access,refresh}'::text[]) as kind`
})

/** None of them has expired. */
export const fillOAuthRequests = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_oauth_requests (id_hash, client_id, redirect_uri, scopes, code_challenge, expires_at)
    select 'request-' || number, 'client-' || number, 'https://a.example/', '{agents:run}', 'challenge',
      4000000000 + number from generate_series(1, ${rows}::int) as number`
})

export const oauthCalls = Effect.map(OAuthStore, (oauth) => {
  const [one, waiting, made] = [client(), request(), grant()]
  return {
    "oauth.insertClient": oauth.insertClient(one, many),
    "oauth.findClient": oauth.findClient(one.id, now),
    "oauth.insertRequest": oauth.insertRequest(waiting, many),
    "oauth.findRequest": oauth.findRequest(waiting.id_hash, now),
    "oauth.removeRequest": oauth.removeRequest(waiting.id_hash, now),
    "oauth.approve": oauth.approve(waiting.id_hash, made, now),
    "oauth.findByCode": oauth.findByCode(made.code_hash),
    "oauth.redeem": oauth.redeem(made.code_hash, tokens(), now),
    "oauth.findToken": oauth.findToken("hash"),
    "oauth.rotate": oauth.rotate("hash", tokens(), now),
    "oauth.revoke": oauth.revoke(made.id, now)
  }
})
