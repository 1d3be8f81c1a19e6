// `MemorySettingsStore` in PostgreSQL.
import type * as Ids from "@svc/domain/Ids"
import { MemorySettingsStore } from "@svc/runtime/memory/MemorySettingsStore"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { orUnavailable, readOrUnavailable } from "./internal/orUnavailable.ts"
import { text, unchecked } from "./internal/rows.ts"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const find = SqlSchema.findOneOption({
    Request: unchecked<Ids.UserId>(),
    Result: Schema.Struct({ is_enabled: Schema.Boolean }),
    execute: (user_id) => sql`select is_enabled from svc_memory_settings where user_id = ${text(user_id)}`
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
    )
  })
})

export const layer: Layer.Layer<MemorySettingsStore, never, SqlClient.SqlClient> = Layer.effect(
  MemorySettingsStore,
  make
)
