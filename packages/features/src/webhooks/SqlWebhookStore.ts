// `WebhookStore` in PostgreSQL. Only a target has the secrets: the columns of a webhook do not.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Counted from "@svc-runtime/postgres/sql/Counted"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as SqlSecretRows from "../secrets/SqlSecretRows.ts"
import * as Webhook from "./Webhook.ts"
import type * as WebhookDelivery from "./WebhookDelivery.ts"
import { type Failure, type Rotation, WebhookStore } from "./WebhookStore.ts"

/** Of a webhook `w`. */
const shown = `w.id, w.url, w.description, w.events, case when w.component_kind is not null then
  json_build_object('kind', w.component_kind, 'id', w.component_id) end as component, w.user_id, w.enabled,
  w.disabled_reason, w.failures, w.dropped, w.created_at::float8 as created_at, w.updated_at::float8 as updated_at`

interface Key {
  readonly id: Webhook.Id
  readonly owner: Owner.Owner
}

const TargetRow = Schema.Struct({
  url: Schema.String,
  enabled: Schema.Boolean,
  secret: Schema.String,
  previous_secret: Schema.NullOr(Schema.String)
})

const readable = ReadableRows.make(Webhook.Webhook, "webhook_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const counted = Counted.make(sql)
  const pages = Page.make(sql)
  const columns = sql.literal(shown)

  const isAt = ({ id, owner }: Key) => sql`w.id = ${text(id)} and ${Ownership.covers(sql, "w.user_id", owner)}`

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Webhook.Webhook,
    execute: (key) => sql`select ${columns} from svc_webhooks w where ${isAt(key)}`
  })

  const findForUpdate = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Webhook.Webhook,
    execute: (key) => sql`select ${columns} from svc_webhooks w where ${isAt(key)} for update`
  })

  /** What a caller sets. */
  const given = ({ component, description, enabled, events, failures, url, ...rest }: Webhook.Webhook) => ({
    url: text(url),
    description: textOrNull(description),
    events: texts(events),
    component_kind: component?.kind ?? null,
    component_id: textOrNull(component?.id ?? null),
    enabled,
    disabled_reason: textOrNull(rest.disabled_reason),
    failures,
    updated_at: rest.updated_at
  })

  const insert = (webhook: Webhook.Webhook, secret: Redacted.Redacted) =>
    sql`
      insert into svc_webhooks ${
      sql.insert({
        ...given(webhook),
        id: text(webhook.id),
        user_id: textOrNull(webhook.user_id),
        secret: text(Redacted.value(secret)),
        created_at: webhook.created_at
      })
    }`

  const patch = Effect.fnUntraced(function*(key: Key, patch: Webhook.Patch, at: number) {
    const found = yield* findForUpdate(key)
    if (Option.isNone(found)) return Option.none()
    const changed = Webhook.patched(found.value, patch, at)
    yield* sql`update svc_webhooks w set ${sql.update(given(changed))} where ${isAt(key)}`
    return Option.some(changed)
  })

  // the expressions read the row as it was
  const rotate = (key: Key, { at, previousUntil, secret }: Rotation) =>
    sql`
      update svc_webhooks w set previous_secret = w.secret, previous_until = ${previousUntil},
        secret = ${text(Redacted.value(secret))}, updated_at = ${at}
      where ${isAt(key)} returning 1`

  const matching = (
    { component, last_webhook = null, type }: Pick<WebhookDelivery.Event, "component" | "last_webhook" | "type">,
    user: Ids.UserId | null
  ) =>
    sql<{ readonly id: Webhook.Id }>`
      select w.id from svc_webhooks w
      where w.enabled and ${type} = any(w.events) and (w.user_id is null or w.user_id = ${textOrNull(user)})
        and (w.component_kind is null or (
          w.component_kind = ${component?.kind ?? null} and w.component_id = ${textOrNull(component?.id ?? null)}
        ))
        and (${last_webhook}::bigint is null or w.seq <= ${last_webhook}::bigint)
      order by w.seq`

  const wanted = SqlSchema.findAll({
    Request: unchecked<undefined>(),
    Result: Schema.Struct({ event: Webhook.EventType }),
    execute: () => sql`select distinct unnest(w.events) as event from svc_webhooks w where w.enabled`
  })

  const findTarget = SqlSchema.findOneOption({
    Request: unchecked<{ readonly id: Webhook.Id; readonly at: number }>(),
    Result: TargetRow,
    execute: ({ at, id }) =>
      sql`
        select w.url, w.enabled, w.secret, case when w.previous_until > ${at} then w.previous_secret end as previous_secret
        from svc_webhooks w where w.id = ${text(id)}`
  })

  const target = (key: { readonly id: Webhook.Id; readonly at: number }) =>
    Effect.map(
      findTarget(key),
      Option.map(({ enabled, previous_secret, secret, url }) => ({
        url,
        enabled,
        secrets: [Redacted.make(secret), ...previous_secret === null ? [] : [Redacted.make(previous_secret)]] as const
      }))
    )

  const failed = (id: Webhook.Id, { at, limit, reason }: Failure) =>
    sql<{ readonly is_disabled: boolean }>`
      update svc_webhooks w set
        failures = least(w.failures + 1, 1000000000),
        enabled = w.failures + 1 < ${limit},
        disabled_reason = case when w.failures + 1 >= ${limit} then ${text(reason)} end,
        updated_at = case when w.failures + 1 >= ${limit} then ${at}::bigint else w.updated_at end
      where w.id = ${text(id)} and w.enabled returning not w.enabled as is_disabled`

  return WebhookStore.of({
    ...SqlSecretRows.make(sql, {
      table: "svc_webhooks",
      row: "'webhook:' || id",
      columns: ["secret", "previous_secret"]
    }),
    create: Effect.fn("SqlWebhookStore.create")((webhook, secret, room) =>
      orUnavailable(
        counted({ table: "svc_webhooks", user_id: webhook.user_id, room }, insert(webhook, secret))
      )
    ),
    find: Effect.fn("SqlWebhookStore.find")((id, owner) => readOne(find({ id, owner }), { kind: "webhook", id })),
    list: Effect.fn("SqlWebhookStore.list")(function*(owner, page) {
      const from = sql`svc_webhooks w where ${Ownership.covers(sql, "w.user_id", owner)}`
      const rows = yield* pages.select({ columns, from, order: sql.literal("w.seq desc"), page })
      return { webhooks: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    patch: Effect.fn("SqlWebhookStore.patch")((id, owner, fields, at) =>
      changeOne(sql)(patch({ id, owner }, fields, at), { kind: "webhook", id })
    ),
    rotate: Effect.fn("SqlWebhookStore.rotate")((id, owner, rotation) =>
      orUnavailable(Effect.map(rotate({ id, owner }, rotation), ({ length }) => length > 0))
    ),
    remove: Effect.fn("SqlWebhookStore.remove")((id, owner) =>
      orUnavailable(Effect.map(
        sql`delete from svc_webhooks w where ${isAt({ id, owner })} returning 1`,
        ({ length }) => length > 0
      ))
    ),
    matching: Effect.fn("SqlWebhookStore.matching")((event, user_id) =>
      readOrUnavailable(Effect.map(matching(event, user_id), (rows) => rows.map(({ id }) => id)))
    ),
    wanted: Effect.fn("SqlWebhookStore.wanted")(() =>
      readOrUnavailable(Effect.map(wanted(undefined), (rows) => rows.map(({ event }) => event)))
    ),
    target: Effect.fn("SqlWebhookStore.target")((id, at) => readOne(target({ id, at }), { kind: "webhook", id })),
    succeeded: Effect.fn("SqlWebhookStore.succeeded")((id) =>
      orUnavailable(
        Effect.asVoid(sql`update svc_webhooks w set failures = 0 where w.id = ${text(id)} and w.failures > 0`)
      )
    ),
    failed: Effect.fn("SqlWebhookStore.failed")((id, failure) =>
      orUnavailable(Effect.map(failed(id, failure), ([row]) => row?.is_disabled ?? false))
    ),
    disableAll: Effect.fn("SqlWebhookStore.disableAll")((user_id, { at, reason }) =>
      orUnavailable(
        Effect.map(
          sql`
            update svc_webhooks w set enabled = false, disabled_reason = ${text(reason)}, updated_at = ${at}
            where w.user_id = ${text(user_id)} and w.enabled returning 1`,
          ({ length }) => length
        )
      )
    ),
    dropped: Effect.fn("SqlWebhookStore.dropped")((id) =>
      orUnavailable(
        Effect.asVoid(
          sql`update svc_webhooks w set dropped = least(w.dropped + 1, 1000000000) where w.id = ${text(id)}`
        )
      )
    )
  })
})

export const layer: Layer.Layer<WebhookStore, never, SqlClient.SqlClient> = Layer.effect(WebhookStore, make)
