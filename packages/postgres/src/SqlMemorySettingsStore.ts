// `MemorySettingsStore` in PostgreSQL.
import type * as Ids from "@svc-runtime/domain/Ids"
import { Erasure, MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { inTransaction } from "./sql/inTransaction.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import { json, text, textOrNull, texts, unchecked } from "./sql/rows.ts"

/** In the audit. */
const subjectKind = "user"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const find = SqlSchema.findOneOption({
    Request: unchecked<Ids.UserId>(),
    Result: Schema.Struct({ is_enabled: Schema.Boolean }),
    execute: (user_id) => sql`select is_enabled from svc_memory_settings where user_id = ${text(user_id)}`
  })
  const findErasures = SqlSchema.findAll({
    Request: unchecked<Ids.UserId>(),
    Result: Erasure,
    execute: (user_id) =>
      sql`
        select subject_id as user_id, action, actor, credential, at::float8 as at, counts from svc_audit
        where subject_kind = ${subjectKind} and subject_id = ${text(user_id)} order by seq`
  })
  const findDisabled = SqlSchema.findAll({
    Request: unchecked<{ readonly after: Ids.UserId | undefined; readonly count: number }>(),
    Result: Schema.Struct({ user_id: Erasure.fields.user_id }),
    execute: ({ after, count }) =>
      sql`
        select user_id from svc_memory_settings where not is_enabled and user_id > ${text(after ?? "")}
        order by user_id limit ${count}`
  })
  return MemorySettingsStore.of({
    isEnabled: Effect.fn("SqlMemorySettingsStore.isEnabled")((user_id) =>
      readOrUnavailable(
        Effect.map(find(user_id), Option.match({ onNone: () => true, onSome: ({ is_enabled }) => is_enabled }))
      )
    ),
    set: Effect.fn("SqlMemorySettingsStore.set")((user_id, enabled, at) =>
      orUnavailable(Effect.asVoid(sql`
        insert into svc_memory_settings (user_id, is_enabled, updated_at) values (${text(user_id)}, ${enabled}, ${at})
        on conflict (user_id) do update set is_enabled = excluded.is_enabled, updated_at = excluded.updated_at`))
    ),
    listDisabled: Effect.fn("SqlMemorySettingsStore.listDisabled")((after, count) =>
      readOrUnavailable(
        Effect.map(findDisabled({ after, count }), (rows) => rows.map(({ user_id }) => user_id))
      )
    ),
    disable: Effect.fn("SqlMemorySettingsStore.disable")((user_ids, at) =>
      orUnavailable(Effect.asVoid(sql`
        insert into svc_memory_settings as s (user_id, is_enabled, updated_at)
        select user_id, false, ${at}::bigint from unnest(${texts(user_ids.map(text))}::text[]) as u (user_id) order by 1
        on conflict (user_id) do update set is_enabled = false, updated_at = excluded.updated_at where s.is_enabled`))
    ),
    atomically: (effect) => orUnavailable(inTransaction(sql)(effect)),
    recordErasure: Effect.fn("SqlMemorySettingsStore.recordErasure")((
      { action, actor, at, counts, credential, user_id }
    ) =>
      orUnavailable(Effect.asVoid(sql`
        insert into svc_audit (at, actor, credential, action, subject_kind, subject_id, counts)
        values (${at}, ${textOrNull(actor)}, ${text(credential)}, ${action}, ${subjectKind}, ${text(user_id)}, ${
        json(counts)
      }::json)`))
    ),
    erasuresOf: Effect.fn("SqlMemorySettingsStore.erasuresOf")((user_id) => readOrUnavailable(findErasures(user_id)))
  })
})

export const layer: Layer.Layer<MemorySettingsStore, never, SqlClient.SqlClient> = Layer.effect(
  MemorySettingsStore,
  make
)
