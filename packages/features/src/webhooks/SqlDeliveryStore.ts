// `DeliveryStore` in PostgreSQL. Triggers announce what happens.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { insertJobs } from "@svc-runtime/postgres/jobs/jobInsertion"
import * as JobStatements from "@svc-runtime/postgres/jobs/JobStatements"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { json, jsonOrNull, text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import {
  type Added,
  type Addition,
  type Additions,
  type Announcement,
  type Attempt,
  DeliveryPending,
  DeliveryQueueFull,
  DeliveryStore,
  minBytes,
  prunedAtOnce,
  type Pruning,
  type Repetition
} from "./DeliveryStore.ts"
import type * as Webhook from "./Webhook.ts"
import * as WebhookDelivery from "./WebhookDelivery.ts"

/** Of a delivery `d`. */
const shown = `d.id, d.webhook_id, d.event_id, d.event, d.status, d.attempts, d.status_code, d.error, d.payload,
  d.created_at::float8 as created_at, d.updated_at::float8 as updated_at`

interface Key {
  readonly id: WebhookDelivery.Id
  readonly webhook: Webhook.Id
}

const readable = ReadableRows.make(WebhookDelivery.Delivery, "delivery_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const jobs = JobStatements.make(sql)
  const columns = sql.literal(shown)

  const isAt = ({ id, webhook }: Key) => sql`d.id = ${text(id)} and d.webhook_id = ${text(webhook)}`

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: WebhookDelivery.Delivery,
    execute: (key) => sql`select ${columns} from svc_webhook_deliveries d where ${isAt(key)}`
  })

  const findForUpdate = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: WebhookDelivery.Delivery,
    execute: (key) => sql`select ${columns} from svc_webhook_deliveries d where ${isAt(key)} for update`
  })

  const announce = ({ component, data, session_id, type, user_id }: Announcement) =>
    sql`
      select svc_announce(
        ${type}, ${component?.kind ?? null}, ${textOrNull(component?.id ?? null)}, ${textOrNull(user_id)},
        ${textOrNull(session_id)}, ${json(data)}::json
      )::text`

  const follow = Effect.fnUntraced(function*(events: ReadonlyArray<Webhook.EventType>) {
    const wanted = texts(events)
    yield* sql`delete from svc_followed_events where event <> all(${wanted}::text[])`
    yield* sql`insert into svc_followed_events select unnest(${wanted}::text[]) on conflict do nothing`
  })

  const heldBy = (lease: Job.Lease | undefined) =>
    lease === undefined
      ? sql`select`
      : sql`select from svc_jobs where id = ${
        text(lease.id)
      } and lease = ${lease.lease} and status = 'RUNNING' for share`

  const waitingBytes = (webhook: Statement.Fragment) =>
    sql`
      select coalesce(sum(w.bytes), 0) from svc_webhook_deliveries w
      where w.webhook_id = ${webhook} and w.status = 'pending'`

  /** No row for a delivery: the lease is lost. */
  const add = (
    [first, ...others]: readonly [Addition, ...ReadonlyArray<Addition>],
    { lease, queueBytes, session_id, user_id }: Additions
  ) => {
    const all = [first, ...others]
    const { delivery: { created_at, event, event_id, payload }, job: { kind, max_attempts } } = first
    const [body, owner, session] = [json(payload), textOrNull(user_id), textOrNull(session_id)]
    const bytes = sql`greatest(octet_length(${body}::text), ${minBytes}::integer)`
    return sql<{ readonly id: string; readonly added: Added }>`
      with held as materialized (${heldBy(lease)}), given as materialized (
        select g.*, exists (
          select from svc_webhook_deliveries d where d.webhook_id = g.webhook_id and d.event_id = ${text(event_id)}
        ) as is_known
        from unnest(
          ${texts(all.map(({ delivery }) => text(delivery.id)))}::text[],
          ${texts(all.map(({ delivery }) => text(delivery.webhook_id)))}::text[],
          ${texts(all.map(({ job }) => text(job.id)))}::text[],
          ${texts(all.map(({ job }) => textOrNull(job.key)))}::text[],
          ${texts(all.map(({ job }) => jsonOrNull(job.payload)))}::text[]
        ) as g (id, webhook_id, job_id, key, job) cross join held
      ), added as (
        insert into svc_webhook_deliveries (
          id, webhook_id, event_id, event, user_id, session_id, payload, bytes, status, job_id, created_at
        )
        select g.id, g.webhook_id, ${text(event_id)}, ${text(event)}, ${owner}, ${session}, ${body}::json, ${bytes},
          'pending', g.job_id, ${created_at}
        from given g
        where not g.is_known and ${bytes} + (${waitingBytes(sql`g.webhook_id`)}) <= ${queueBytes}
        on conflict do nothing returning id
      ), enqueued as (
        ${sql.literal(insertJobs)}
        from (
          select g.job_id as id, ${kind}::text as kind, g.key, false as is_unique, coalesce(g.job, 'null')::json as payload,
            ${max_attempts}::integer as max_attempts, ${owner}::text as user_id,
            ${owner}::text as caller, ${session}::text as session_id,
            null::text as run_at, null::json as trace
          from given g join added a on a.id = g.id
        ) n
      )
      select g.id, case when a.id is not null then 'added' when g.is_known then 'known' else 'full' end as added
      from given g left join added a on a.id = g.id`
  }

  const addAll = Effect.fnUntraced(function*(additions: Additions) {
    const [first, ...others] = additions.all
    if (first === undefined) return []
    const rows = new Map((yield* add([first, ...others], additions)).map(({ added, id }) => [id, added]))
    return additions.all.map(({ delivery }): Added => rows.get(text(delivery.id)) ?? "lost")
  })

  const record = Effect.fnUntraced(function*(id: WebhookDelivery.Id, attempt: Attempt) {
    const { at, attempts, error, job, next, status, status_code } = attempt
    const rows = yield* sql`
      update svc_webhook_deliveries d set status = ${status}, status_code = ${status_code}, error = ${
      textOrNull(error)
    },
        attempts = least(${attempts}::integer, 1000000), updated_at = ${at}, job_id = ${text(next?.id ?? job)}
      where d.id = ${text(id)} and d.job_id = ${text(job)} and d.status = 'pending' returning 1`
    if (rows.length === 0) return false
    if (next !== undefined) yield* jobs.enqueue(next)
    return true
  })

  const again = Effect.fnUntraced(function*(key: Key, { job, queueBytes }: Repetition) {
    const found = yield* findForUpdate(key)
    if (Option.isNone(found)) return Option.none()
    if (found.value.status === "pending") return yield* new DeliveryPending()
    const made = yield* sql`
      update svc_webhook_deliveries d set status = 'pending', attempts = 0, error = null, status_code = null,
        job_id = ${text(job.id)}
      where ${isAt(key)} and d.bytes + (${waitingBytes(sql`d.webhook_id`)}) <= ${queueBytes} returning 1`
    if (made.length === 0) return yield* new DeliveryQueueFull()
    yield* jobs.enqueue(job)
    const delivery = { ...found.value, status: "pending" as const, attempts: 0, error: null, status_code: null }
    return Option.some(delivery)
  })

  const oldest = (isOld: Statement.Fragment) =>
    sql`array(
      select d.id from svc_webhook_deliveries d where ${isOld} limit ${prunedAtOnce} for update skip locked
    )`

  const since = sql.literal("coalesce(d.updated_at, d.created_at)")

  const prune = Effect.fnUntraced(function*({ at, endedBefore = 0, error, pendingBefore }: Pruning) {
    const failed = yield* sql`
      update svc_webhook_deliveries u set status = 'failed', error = ${text(error)}, updated_at = ${at}
      where u.id = any(${
      oldest(sql`d.status = 'pending' and ${since} < ${pendingBefore} and not exists (
        select from svc_jobs j where j.id = d.job_id and j.status in ('PENDING', 'RUNNING')
      )`)
    }) returning 1`
    const removed = yield* sql`
      delete from svc_webhook_deliveries u
      where u.id = any(${oldest(sql`d.status <> 'pending' and ${since} < ${endedBefore}`)}) returning 1`
    return failed.length + removed.length
  })

  const remove = (isRemoved: Statement.Fragment) =>
    orUnavailable(Effect.asVoid(sql`delete from svc_webhook_deliveries d where ${isRemoved}`))

  return DeliveryStore.of({
    announce: Effect.fn("SqlDeliveryStore.announce")((announcement) =>
      orUnavailable(Effect.asVoid(announce(announcement)))
    ),
    follow: Effect.fn("SqlDeliveryStore.follow")((events) => orUnavailable(inTransaction(sql)(follow(events)))),
    add: Effect.fn("SqlDeliveryStore.add")((additions) => orUnavailable(addAll(additions))),
    list: Effect.fn("SqlDeliveryStore.list")(function*(webhook, { status }, page) {
      const ofWebhook = sql`svc_webhook_deliveries d where d.webhook_id = ${text(webhook)}`
      const from = status === undefined ? ofWebhook : sql`${ofWebhook} and d.status = ${status}`
      const rows = yield* pages.select({ columns, from, order: sql.literal("d.seq desc"), page })
      return { deliveries: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    find: Effect.fn("SqlDeliveryStore.find")((webhook, id) =>
      readOne(find({ id, webhook }), { kind: "webhook delivery", id })
    ),
    record: Effect.fn("SqlDeliveryStore.record")((id, attempt) =>
      orUnavailable(inTransaction(sql)(record(id, attempt)))
    ),
    again: Effect.fn("SqlDeliveryStore.again")((webhook, id, repetition) =>
      changeOne(sql)(again({ id, webhook }, repetition), { kind: "webhook delivery", id })
    ),
    removeOf: Effect.fn("SqlDeliveryStore.removeOf")((webhook) => remove(sql`d.webhook_id = ${text(webhook)}`)),
    removeOfUser: Effect.fn("SqlDeliveryStore.removeOfUser")((user_id: Ids.UserId) =>
      remove(sql`d.user_id = ${text(user_id)}`)
    ),
    prune: Effect.fn("SqlDeliveryStore.prune")((pruning) => orUnavailable(prune(pruning)))
  })
})

export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(DeliveryStore, make)
