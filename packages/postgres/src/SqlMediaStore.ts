// `MediaStore` in PostgreSQL. Every method is one statement, but a put has one for each part, in a transaction.
import * as Session from "@svc-runtime/domain/Session"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { partBytes, partsOf } from "@svc-runtime/engine/media/StoredMedium"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { inTransaction } from "./sql/inTransaction.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import * as Ownership from "./sql/Ownership.ts"
import { text } from "./sql/rows.ts"

const Row = Schema.Struct({ session_id: Session.Id, mime_type: Schema.String, size: Schema.Int })
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  return MediaStore.of({
    put: Effect.fn("SqlMediaStore.put")(
      function*(session, { bytes, id, mime_type }) {
        for (let part = 0; part < partsOf(bytes.length); part++) {
          const body = bytes.subarray(part * partBytes, (part + 1) * partBytes)
          // the session stays until all parts are stored, and another put of the medium waits
          const inserted = yield* sql`
            insert into svc_media (session_id, hash, part, mime_type, size, body)
            select s.session_id, ${text(id)}, ${part}::int, ${text(mime_type)}, ${bytes.length}::int, ${body}::bytea
            from (select session_id from svc_sessions s where s.session_id = ${text(session)} for key share) s
            on conflict do nothing returning part`
          if (inserted.length === 0) return
        }
      },
      inTransaction(sql),
      orUnavailable
    ),
    find: Effect.fn("SqlMediaStore.find")(function*(id, owner) {
      const [row] = yield* decode(
        yield* sql`
          select m.session_id, m.mime_type, m.size from svc_media m join svc_sessions s on s.session_id = m.session_id
          where m.hash = ${text(id)} and m.part = 0 and ${Ownership.isVisible(sql, owner)} limit 1`
      )
      return row === undefined ? Option.none() : Option.some({ id, ...row })
    }, readOrUnavailable),
    readPart: Effect.fn("SqlMediaStore.readPart")(function*({ id, session_id }, part, owner) {
      const [row] = yield* sql<{ readonly body: Uint8Array }>`
        select m.body from svc_media m join svc_sessions s on s.session_id = m.session_id
        where m.session_id = ${text(session_id)} and m.hash = ${text(id)} and m.part = ${part}
          and ${Ownership.isVisible(sql, owner)}`
      return row === undefined ? Option.none() : Option.some(row.body)
    }, readOrUnavailable)
  })
})

export const layer: Layer.Layer<MediaStore, never, SqlClient.SqlClient> = Layer.effect(MediaStore, make)
