// `StoredChannelStore` in PostgreSQL.
import * as Counted from "@svc-runtime/postgres/sql/Counted"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text, textOrNull, texts } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlSecretRows from "../secrets/SqlSecretRows.ts"
import { Stored } from "./StoredChannel.ts"
import { StoredChannelStore } from "./StoredChannelStore.ts"

const readable = ReadableRows.make(Stored, "channel")

const shown = `c.id, c.revision, c.platform, c.component_kind, c.component_id, c.access, c.when_busy, c.tenant,
  c.settings, c.secrets, c.secret_names, c.created_at::float8 as created_at, c.updated_at::float8 as updated_at`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const counted = Counted.make(sql)
  const columns = sql.literal(shown)

  const changing = (channel: Stored) => ({
    revision: text(channel.revision),
    component_kind: channel.component_kind,
    component_id: text(channel.component_id),
    access: json(channel.access),
    when_busy: channel.when_busy,
    settings: json(channel.settings),
    secrets: text(channel.secrets),
    secret_names: texts(channel.secret_names),
    updated_at: channel.updated_at
  })

  const isKnown = (id: string) =>
    Effect.map(sql`select 1 from svc_channels where id = ${text(id)}`, ({ length }) => length > 0)

  const create = Effect.fnUntraced(function*(channel: Stored, most: number) {
    let isNew = false
    const insert = Effect.map(
      sql`
        insert into svc_channels ${
        sql.insert({
          ...changing(channel),
          id: text(channel.id),
          platform: text(channel.platform),
          tenant: textOrNull(channel.tenant),
          created_at: channel.created_at
        })
      } returning 1`,
      () => {
        isNew = true
      }
    )
    const room = { all: most, ofUser: most }
    const isStored = yield* counted(
      { table: "svc_channels", user_id: null, room, isStored: isKnown(channel.id) },
      insert
    )
    return isNew ? "created" as const : isStored ? "known" as const : "full" as const
  })

  /** Of the channels `gone`. */
  const endings = sql.literal(`
    links as (delete from svc_channel_links l using gone where l.channel = gone.id),
    codes as (delete from svc_channel_codes o using gone where o.channel = gone.id),
    sessions as (delete from svc_channel_sessions s using gone where s.channel = gone.id)`)

  return StoredChannelStore.of({
    ...SqlSecretRows.make(sql, { table: "svc_channels", row: "'channel:' || id", columns: ["secrets"] }),
    create: Effect.fn("SqlStoredChannelStore.create")((channel, most) => orUnavailable(create(channel, most))),
    find: Effect.fn("SqlStoredChannelStore.find")(function*(id) {
      const rows = yield* sql`select ${columns} from svc_channels c where c.id = ${text(id)}`
      return Option.fromUndefinedOr((yield* readable(rows))[0])
    }, readOrUnavailable),
    all: Effect.fn("SqlStoredChannelStore.all")(function*() {
      return yield* readable(yield* sql`select ${columns} from svc_channels c order by c.id`)
    }, readOrUnavailable),
    replace: Effect.fn("SqlStoredChannelStore.replace")((channel, revision, isOther) =>
      orUnavailable(Effect.map(
        sql`
          with changed as (
            update svc_channels set ${sql.update(changing(channel))}
            where id = ${text(channel.id)} and revision = ${text(revision)} returning id
          ), gone as (select id from changed where ${isOther}), ${endings}
          select 1 from changed`,
        ({ length }) => length > 0
      ))
    ),
    remove: Effect.fn("SqlStoredChannelStore.remove")((id) =>
      orUnavailable(Effect.map(
        sql`
          with gone as (delete from svc_channels where id = ${text(id)} returning id), ${endings}
          select 1 from gone`,
        ({ length }) => length > 0
      ))
    )
  })
})

export const layer: Layer.Layer<StoredChannelStore, never, SqlClient.SqlClient> = Layer.effect(StoredChannelStore, make)
