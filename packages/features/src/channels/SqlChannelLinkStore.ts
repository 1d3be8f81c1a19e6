// `ChannelLinkStore` in PostgreSQL. Every method is one statement.
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Link, Linking } from "./ChannelLink.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"

const readable = ReadableRows.make(Link, "link_id")
const linkings = ReadableRows.make(Linking)

/** Of a link `l`. */
const shown = "l.id, l.channel, l.sender, l.name, l.user_id, l.scopes, l.created_at::float8 as created_at"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const columns = sql.literal(shown)
  const first = (rows: ReadonlyArray<object>) => Effect.map(readable(rows), ([link]) => Option.fromUndefinedOr(link))

  return ChannelLinkStore.of({
    find: Effect.fn("SqlChannelLinkStore.find")(function*(channel, sender) {
      return yield* first(
        yield* sql`
          select ${columns} from svc_channel_links l where l.channel = ${text(channel)} and l.sender = ${text(sender)}`
      )
    }, readOrUnavailable),
    ofUser: Effect.fn("SqlChannelLinkStore.ofUser")(function*(channel, user_id) {
      return yield* first(
        yield* sql`
          select ${columns} from svc_channel_links l
          where l.user_id = ${text(user_id)} and l.channel = ${text(channel)} order by l.seq desc limit 1`
      )
    }, readOrUnavailable),
    putCode: Effect.fn("SqlChannelLinkStore.putCode")(({ channel, expires_at, hash, name, sender }, at) =>
      orUnavailable(Effect.asVoid(sql`
        with old as (
          delete from svc_channel_codes where hash = any(array(
            select hash from svc_channel_codes where expires_at <= ${at}::bigint order by expires_at limit 100
            for update skip locked
          )) and not (channel = ${text(channel)} and sender = ${text(sender)})
        )
        insert into svc_channel_codes (channel, sender, name, hash, expires_at)
        values (${text(channel)}, ${text(sender)}, ${textOrNull(name)}, ${text(hash)}, ${expires_at}::bigint)
        on conflict (channel, sender) do update set
          name = excluded.name, hash = excluded.hash, expires_at = excluded.expires_at`))
    ),
    whose: Effect.fn("SqlChannelLinkStore.whose")(function*(hash, at) {
      const rows = yield* sql`
        select channel, sender, name from svc_channel_codes where hash = ${text(hash)} and expires_at > ${at}::bigint`
      return Option.fromUndefinedOr((yield* linkings(rows))[0])
    }, readOrUnavailable),
    link: Effect.fn("SqlChannelLinkStore.link")(function*(hash, { created_at, id, scopes, user_id }) {
      return yield* first(
        yield* sql`
          with used as (
            delete from svc_channel_codes where hash = ${text(hash)} and expires_at > ${created_at}::bigint
            returning channel, sender, name
          )
          insert into svc_channel_links as l (id, channel, sender, name, user_id, scopes, created_at)
          select ${text(id)}, used.channel, used.sender, used.name, ${text(user_id)}, ${json(scopes)}::json,
            ${created_at}::bigint
          from used
          on conflict (channel, sender) do update set
            id = excluded.id, name = excluded.name, user_id = excluded.user_id, scopes = excluded.scopes,
            created_at = excluded.created_at
          returning ${columns}`
      )
    }, orUnavailable),
    list: Effect.fn("SqlChannelLinkStore.list")(function*(owner, page) {
      const from = sql`svc_channel_links l where ${Ownership.covers(sql, "l.user_id", owner)}`
      const rows = yield* pages.select({ columns, from, order: sql.literal("l.seq desc"), page })
      return { links: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    remove: Effect.fn("SqlChannelLinkStore.remove")((id, owner) =>
      orUnavailable(Effect.map(
        sql`
          delete from svc_channel_links l where l.id = ${text(id)} and ${Ownership.covers(sql, "l.user_id", owner)}
          returning 1`,
        ({ length }) => length > 0
      ))
    ),
    removeOf: Effect.fn("SqlChannelLinkStore.removeOf")((user_id) =>
      orUnavailable(Effect.map(
        sql`delete from svc_channel_links where user_id = ${text(user_id)} returning 1`,
        ({ length }) => length
      ))
    )
  })
})

export const layer: Layer.Layer<ChannelLinkStore, never, SqlClient.SqlClient> = Layer.effect(ChannelLinkStore, make)
