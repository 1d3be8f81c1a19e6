// `OAuthStore` in PostgreSQL. The methods of this file are one statement each: of two nodes that use the same code or
// token, one waits for the other and then finds it used.
import {
  type AuthorizationRequest,
  type Client,
  type ClientLimits,
  type Code,
  type Grant,
  OAuthStore,
  type Token,
  type WaitingLimits
} from "@svc-runtime/auth"
import * as Ids from "@svc-runtime/domain/Ids"
import { Effect, Layer, Option, Schema, Semaphore } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ShortStatements } from "./ShortStatements.ts"
import { inTransaction } from "./sql/inTransaction.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import { text, textOrNull, texts, times, unchecked } from "./sql/rows.ts"

// Adds what waits for a person: clients and requests of the authorization server. Anybody can add to both, so they are
// counted, one insertion after the other.

const OauthWaitingChanged = Schema.Struct({ count: Schema.Natural })

/** Of the advisory lock under which they are counted. */
const countLock = 5_733_921_191

const oauthWaiting = (sql: SqlClient.SqlClient) => {
  const insertClient = SqlSchema.findOne({
    Request: unchecked<{ readonly client: Client; readonly limits: ClientLimits }>(),
    Result: OauthWaitingChanged,
    execute: ({ client, limits: { address_hash, expires_at, now, ofAddress, pending, unusedSince } }) =>
      sql`
        with waiting as (
          select c.id, c.address_hash, c.created_at from svc_oauth_clients c where c.expires_at > ${now}
        ), counted as (
          select count(*) as "all", count(*) filter (where address_hash = ${address_hash}) as own from waiting
        ), fullest as (
          select case when own >= ${ofAddress} then ${address_hash} when "all" >= ${pending} then (
            select w.address_hash from waiting w group by w.address_hash order by count(*) desc limit 1
          ) end as address_hash from counted
        ), removed as (
          delete from svc_oauth_clients where id = (
            select w.id from waiting w join fullest on fullest.address_hash = w.address_hash
            where w.created_at <= ${unusedSince}
              and w.id not in (select r.client_id from svc_oauth_requests r where r.expires_at > ${now})
            order by w.created_at limit 1
          ) returning address_hash
        ), inserted as (
          insert into svc_oauth_clients (id, name, redirect_uris, created_at, expires_at, address_hash)
          select ${text(client.id)}, ${textOrNull(client.name)}, ${texts(client.redirect_uris.map(text))},
            ${client.created_at}, ${expires_at}, ${address_hash}
          from counted
          where "all" - (select count(*) from removed) < ${pending}
            and own - (select count(*) from removed where address_hash = ${address_hash}) < ${ofAddress}
          returning 1
        ) select count(*)::int as count from inserted`
  })

  const insertRequest = SqlSchema.findOne({
    Request: unchecked<{ readonly request: AuthorizationRequest; readonly limits: WaitingLimits }>(),
    Result: OauthWaitingChanged,
    execute: ({ limits: { address_hash, now, ofAddress, pending }, request }) =>
      sql`
        with inserted as (
          insert into svc_oauth_requests (
            id_hash, client_id, client_name, redirect_uri, state, scopes, code_challenge, expires_at, address_hash
          )
          select ${text(request.id_hash)}, ${text(request.client_id)}, ${textOrNull(request.client_name)},
            ${text(request.redirect_uri)}, ${textOrNull(request.state)}, ${texts(request.scopes.map(text))},
            ${text(request.code_challenge)}, ${request.expires_at}, ${address_hash}
          from (
            select count(*) as "all", count(*) filter (where address_hash = ${address_hash}) as own
            from svc_oauth_requests where expires_at > ${now}
          ) counted
          where "all" < ${pending} and own < ${ofAddress}
          returning 1
        ) select count(*)::int as count from inserted`
  })

  // of each node, one connection waits for the lock
  const turn = Semaphore.makeUnsafe(1)
  const counted = <E>(insert: Effect.Effect<{ readonly count: number }, E>) =>
    turn.withPermit(
      inTransaction(sql)(
        Effect.andThen(sql`select pg_advisory_xact_lock(${countLock}::bigint)::text as locked`, insert)
      )
    ).pipe(Effect.map(({ count }) => count > 0))

  return {
    insertClient: (request: Parameters<typeof insertClient>[0]) => counted(insertClient(request)),
    insertRequest: (request: Parameters<typeof insertRequest>[0]) => counted(insertRequest(request))
  }
}

type NewGrant = Code & Grant
type NewTokens = ReadonlyArray<Omit<Token, "used_at">>

const nullableText = Schema.NullOr(Schema.String)
const nullableInt = Schema.NullOr(Schema.Int)
const list = Schema.Array(Schema.String)

const ClientRow = Schema.Struct({ id: Schema.String, name: nullableText, redirect_uris: list, created_at: Schema.Int })

const RequestRow = Schema.Struct({
  id_hash: Schema.String,
  client_id: Schema.String,
  client_name: nullableText,
  redirect_uri: Schema.String,
  state: nullableText,
  scopes: list,
  code_challenge: Schema.String,
  expires_at: Schema.Int
})

const grantFields = {
  id: Schema.String,
  client_id: Schema.String,
  user_id: Ids.UserId,
  account_hash: nullableText,
  scopes: list,
  created_at: Schema.Int,
  expires_at: Schema.Int,
  revoked_at: nullableInt
}

const CodeRow = Schema.Struct({
  ...grantFields,
  code_hash: Schema.String,
  code_challenge: Schema.String,
  redirect_uri: Schema.String,
  code_expires_at: Schema.Int,
  code_used_at: nullableInt
})

const TokenRow = Schema.Struct({
  ...grantFields,
  token_hash: Schema.String,
  kind: Schema.Literals(["access", "refresh"]),
  token_expires_at: Schema.Int,
  used_at: nullableInt
})

const Changed = OauthWaitingChanged

const grantColumns = `g.id, g.client_id, g.user_id, g.account_hash, g.scopes, g.created_at::float8 as created_at,
  g.expires_at::float8 as expires_at, g.revoked_at::float8 as revoked_at`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.reads ?? sql
  const columns = sql.literal(grantColumns)
  const waiting = oauthWaiting(sql)

  const findClient = SqlSchema.findOneOption({
    Request: unchecked<{ readonly id: string; readonly now: number }>(),
    Result: ClientRow,
    execute: ({ id, now }) =>
      sql`
        select id, name, redirect_uris, created_at::float8 as created_at from svc_oauth_clients
        where id = ${text(id)} and (expires_at is null or expires_at > ${now})`
  })

  const findRequest = SqlSchema.findOneOption({
    Request: unchecked<{ readonly id_hash: string; readonly now: number }>(),
    Result: RequestRow,
    execute: ({ id_hash, now }) =>
      sql`
        select id_hash, client_id, client_name, redirect_uri, state, scopes, code_challenge,
          expires_at::float8 as expires_at
        from svc_oauth_requests where id_hash = ${text(id_hash)} and expires_at > ${now}`
  })

  const removeRequest = SqlSchema.findOne({
    Request: unchecked<{ readonly id_hash: string; readonly now: number }>(),
    Result: Changed,
    execute: ({ id_hash, now }) =>
      sql`
        with gone as (
          delete from svc_oauth_requests where id_hash = ${text(id_hash)} and expires_at > ${now} returning 1
        ) select count(*)::int as count from gone`
  })

  const approve = SqlSchema.findOne({
    Request: unchecked<{ readonly id_hash: string; readonly grant: NewGrant; readonly now: number }>(),
    Result: Changed,
    execute: ({ grant, id_hash, now }) =>
      sql`
        with gone as (
          delete from svc_oauth_requests where id_hash = ${text(id_hash)} and expires_at > ${now} returning client_id
        ), kept as (
          update svc_oauth_clients c set expires_at = null from gone where c.id = gone.client_id
        ), made as (
          insert into svc_oauth_grants (
            id, client_id, user_id, account_hash, scopes, created_at, expires_at,
            code_hash, code_challenge, redirect_uri, code_expires_at
          )
          select ${text(grant.id)}, client_id, ${text(grant.user_id)}, ${textOrNull(grant.account_hash)},
            ${texts(grant.scopes.map(text))}, ${grant.created_at}, ${grant.expires_at}, ${text(grant.code_hash)},
            ${text(grant.code_challenge)}, ${text(grant.redirect_uri)}, ${grant.code_expires_at}
          from gone returning 1
        ) select count(*)::int as count from made`
  })

  const findByCode = SqlSchema.findOneOption({
    Request: unchecked<string>(),
    Result: CodeRow,
    execute: (code_hash) =>
      sql`
        select ${columns}, g.code_hash, g.code_challenge, g.redirect_uri,
          g.code_expires_at::float8 as code_expires_at, g.code_used_at::float8 as code_used_at
        from svc_oauth_grants g where g.code_hash = ${text(code_hash)}`
  })

  /** The tokens of the grants that a statement before it returned as `used`. */
  const added = (tokens: NewTokens) =>
    sql`
      insert into svc_oauth_tokens (token_hash, grant_id, kind, expires_at)
      select t.token_hash, used.id, t.kind, t.expires_at from used cross join unnest(
        ${texts(tokens.map(({ token_hash }) => text(token_hash)))}::text[],
        ${texts(tokens.map(({ kind }) => kind))}::text[],
        ${times(tokens.map(({ expires_at }) => expires_at))}::bigint[]
      ) as t(token_hash, kind, expires_at)`

  const until = (tokens: NewTokens) => Math.max(...tokens.map(({ expires_at }) => expires_at))

  interface Using {
    readonly hash: string
    readonly tokens: NewTokens
    readonly now: number
  }

  const redeem = SqlSchema.findOne({
    Request: unchecked<Using>(),
    Result: Changed,
    execute: ({ hash, now, tokens }) =>
      sql`
        with used as (
          update svc_oauth_grants set code_used_at = ${now}, expires_at = greatest(expires_at, ${until(tokens)})
          where code_hash = ${text(hash)} and code_used_at is null and revoked_at is null and code_expires_at > ${now}
          returning id
        ), made as (${added(tokens)})
        select count(*)::int as count from used`
  })

  // Reads and locks the grant first: a revocation beside it is either seen, or waits and ends the new tokens too.
  const rotate = SqlSchema.findOne({
    Request: unchecked<Using>(),
    Result: Changed,
    execute: ({ hash, now, tokens }) =>
      sql`
        with replaced as (
          update svc_oauth_tokens set used_at = ${now}
          where token_hash = ${text(hash)} and kind = 'refresh' and used_at is null and expires_at > ${now}
            and exists (select from svc_oauth_grants g where g.id = grant_id and g.revoked_at is null)
          returning grant_id
        ), used as (
          update svc_oauth_grants g set expires_at = greatest(g.expires_at, ${until(tokens)})
          from replaced where g.id = replaced.grant_id and g.revoked_at is null
          returning g.id
        ), made as (${added(tokens)})
        select count(*)::int as count from used`
  })

  const findToken = SqlSchema.findOneOption({
    Request: unchecked<string>(),
    Result: TokenRow,
    execute: (token_hash) =>
      short`
        select ${columns}, t.token_hash, t.kind, t.expires_at::float8 as token_expires_at, t.used_at::float8 as used_at
        from svc_oauth_tokens t join svc_oauth_grants g on g.id = t.grant_id where t.token_hash = ${text(token_hash)}`
  })

  const revoke = SqlSchema.findOne({
    Request: unchecked<{ readonly id: string; readonly now: number }>(),
    Result: Changed,
    execute: ({ id, now }) =>
      sql`
        with ended as (
          update svc_oauth_grants set revoked_at = ${now} where id = ${text(id)} and revoked_at is null returning 1
        ) select count(*)::int as count from ended`
  })

  const hasChanged = Effect.map(({ count }: typeof Changed.Type) => count > 0)

  return OAuthStore.of({
    insertClient: Effect.fn("SqlOAuthStore.insertClient")((client, limits) =>
      orUnavailable(waiting.insertClient({ client, limits }))
    ),
    findClient: Effect.fn("SqlOAuthStore.findClient")((id, now) => readOrUnavailable(findClient({ id, now }))),
    insertRequest: Effect.fn("SqlOAuthStore.insertRequest")((request, limits) =>
      orUnavailable(waiting.insertRequest({ request, limits }))
    ),
    findRequest: Effect.fn("SqlOAuthStore.findRequest")((id_hash, now) =>
      readOrUnavailable(findRequest({ id_hash, now }))
    ),
    removeRequest: Effect.fn("SqlOAuthStore.removeRequest")((id_hash, now) =>
      orUnavailable(hasChanged(removeRequest({ id_hash, now })))
    ),
    approve: Effect.fn("SqlOAuthStore.approve")((id_hash, grant, now) =>
      orUnavailable(hasChanged(approve({ id_hash, grant, now })))
    ),
    findByCode: Effect.fn("SqlOAuthStore.findByCode")((code_hash) => readOrUnavailable(findByCode(code_hash))),
    redeem: Effect.fn("SqlOAuthStore.redeem")((hash, tokens, now) =>
      orUnavailable(hasChanged(redeem({ hash, tokens, now })))
    ),
    findToken: Effect.fn("SqlOAuthStore.findToken")((token_hash) =>
      readOrUnavailable(Effect.map(
        findToken(token_hash),
        Option.map(({ kind, token_expires_at, token_hash, used_at, ...grant }) => ({
          token: { token_hash, kind, expires_at: token_expires_at, used_at },
          grant
        }))
      ))
    ),
    rotate: Effect.fn("SqlOAuthStore.rotate")((hash, tokens, now) =>
      orUnavailable(hasChanged(rotate({ hash, tokens, now })))
    ),
    revoke: Effect.fn("SqlOAuthStore.revoke")((id, now) => orUnavailable(hasChanged(revoke({ id, now }))))
  })
})

export const layer: Layer.Layer<OAuthStore, never, ShortStatements | SqlClient.SqlClient> = Layer.effect(
  OAuthStore,
  make
)
