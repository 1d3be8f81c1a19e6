// Adds what waits for a person: clients and requests of the authorization server. Anybody can add to both, so they are
// counted, one insertion after the other.
import type { AuthorizationRequest, Client, ClientLimits, WaitingLimits } from "@svc-runtime/auth"
import { Effect, Schema, Semaphore } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { inTransaction } from "../sql/inTransaction.ts"
import { text, textOrNull, texts, unchecked } from "../sql/rows.ts"

export const Changed = Schema.Struct({ count: Schema.Natural })

/** Of the advisory lock under which they are counted. */
const countLock = 5_733_921_191

export const make = (sql: SqlClient.SqlClient) => {
  const insertClient = SqlSchema.findOne({
    Request: unchecked<{ readonly client: Client; readonly limits: ClientLimits }>(),
    Result: Changed,
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
    Result: Changed,
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
