// `NoteStore` in PostgreSQL. A method is one statement, except for a page past the end of a list.
import type * as Owner from "@svc-runtime/domain/Owner"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { readOne } from "@svc-runtime/postgres/sql/readOne"
import { text, textOrNull, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Note from "./Note.ts"
import { NoteStore } from "./NoteStore.ts"

const columns = "n.id, n.user_id, n.text, n.created_at::float8 as created_at"

const readable = ReadableRows.make(Note.Note, "note_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const shown = sql.literal(columns)

  const covered = (owner: Owner.Owner) => sql`svc_notes n where ${Ownership.covers(sql, "n.user_id", owner)}`

  const find = SqlSchema.findOneOption({
    Request: unchecked<{ readonly id: Note.Id; readonly owner: Owner.Owner }>(),
    Result: Note.Note,
    execute: ({ id, owner }) => sql`select ${shown} from ${covered(owner)} and n.id = ${text(id)}`
  })

  return NoteStore.of({
    create: Effect.fn("SqlNoteStore.create")(function*(note) {
      yield* sql`
        insert into svc_notes (id, user_id, text, created_at)
        values (${text(note.id)}, ${textOrNull(note.user_id)}, ${text(note.text)}, ${note.created_at})`
    }, orUnavailable),
    find: Effect.fn("SqlNoteStore.find")((id, owner) => readOne(find({ id, owner }), { kind: "note", id })),
    list: Effect.fn("SqlNoteStore.list")(function*(owner, page) {
      const from = covered(owner)
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("n.seq desc"), page })
      // the total is counted only where the page does not tell it
      return { notes: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    remove: Effect.fn("SqlNoteStore.remove")(function*(id, owner) {
      const rows = yield* sql`
        delete from svc_notes n where n.id = ${text(id)} and ${Ownership.covers(sql, "n.user_id", owner)} returning 1`
      return rows.length > 0
    }, orUnavailable)
  })
})

export const layer: Layer.Layer<NoteStore, never, SqlClient.SqlClient> = Layer.effect(NoteStore, make)
