// `IdempotencyStore` in PostgreSQL. A claim is one statement. It also removes some expired keys, so that the table
// keeps one day of keys. Only the database clock decides about expiry, because clocks of nodes can differ.
import * as Json from "@svc-runtime/domain/Json"
import { type Claim, IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { orUnavailable } from "./sql/orUnavailable.ts"
import { json, unchecked } from "./sql/rows.ts"

const ClaimRow = Schema.Struct({
  key: Schema.String,
  claim_id: Schema.String,
  fingerprint: Schema.String,
  subject: Json.Object,
  created_at: Schema.Int,
  expires_at: Schema.Int
})

/** Removed with each claim: more than one, so that a backlog shrinks. */
const sweptAtOnce = 10

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  // An expired key is overwritten; a valid one is updated to itself, because only then RETURNING includes it.
  const claim = SqlSchema.findOne({
    Request: unchecked<Claim>(),
    Result: ClaimRow,
    execute: ({ claim_id, created_at, expires_at, fingerprint, key, subject }) =>
      sql`
        with swept as (
          delete from svc_idempotency where key in (
            select key from svc_idempotency where free_from <= now() and key <> ${key}
            order by free_from limit ${sweptAtOnce} for update skip locked
          )
        )
        insert into svc_idempotency as held (key, claim_id, fingerprint, subject, created_at, expires_at, free_from)
        values (${key}, ${claim_id}, ${fingerprint}, ${json(subject)}, ${created_at}, ${expires_at},
          now() + make_interval(secs => ${expires_at - created_at}::float8))
        on conflict (key) do update set
          claim_id = case when held.free_from <= now() then excluded.claim_id else held.claim_id end,
          fingerprint = case when held.free_from <= now() then excluded.fingerprint else held.fingerprint end,
          subject = case when held.free_from <= now() then excluded.subject else held.subject end,
          created_at = case when held.free_from <= now() then excluded.created_at else held.created_at end,
          expires_at = case when held.free_from <= now() then excluded.expires_at else held.expires_at end,
          free_from = case when held.free_from <= now() then excluded.free_from else held.free_from end
        returning key, claim_id, fingerprint, subject, created_at::float8 as created_at, expires_at::float8 as expires_at`
  })

  return IdempotencyStore.of({
    claim: Effect.fn("SqlIdempotencyStore.claim")((wanted) => orUnavailable(claim(wanted))),
    release: Effect.fn("SqlIdempotencyStore.release")(({ claim_id, key }) =>
      orUnavailable(
        Effect.asVoid(sql`delete from svc_idempotency where key = ${key} and claim_id = ${claim_id}`)
      )
    )
  })
})

export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(IdempotencyStore, make)
