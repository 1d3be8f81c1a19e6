// The blocks of docs/adding-a-resource.md: the parts of a resource that does not exist.
import type { Texts } from "@svc/api/documentation/Texts"
import * as Listing from "@svc/api/query/Listing"
import * as Ids from "@svc/domain/Ids"
import type * as Owner from "@svc/domain/Owner"
import * as Pagination from "@svc/domain/Pagination"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import * as Time from "@svc/domain/Time"
import { NewId } from "@svc/runtime/NewId"
import { now } from "@svc/runtime/now"
import { Context, Effect, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { SqlClient, SqlSchema } from "effect/sql"
import * as RequestCaller from "../../../server/src/authorization/RequestCaller.ts"
import * as Ownership from "../../../storage/src/internal/sql/ownership.ts"
import * as Page from "../../../storage/src/internal/sql/page.ts"
import * as ReadableRows from "../../../storage/src/internal/sql/readableRows.ts"
import { readOne } from "../../../storage/src/internal/sql/readOne.ts"
import { text, unchecked } from "../../../storage/src/internal/sql/rows.ts"

const Id = Schema.String.pipe(Schema.brand("NoteId"))
const NoteSchema = Schema.Struct({
  id: Id,
  user_id: Schema.NullOr(Ids.UserId),
  text: Schema.String,
  created_at: Time.EpochSeconds
})
const CreateSchema = Schema.Struct({
  text: Schema.String,
  user_id: Schema.optionalKey(Schema.NullOr(Ids.UserIdInput))
})
const Note = { Id, Note: NoteSchema, Create: CreateSchema }

declare namespace Note {
  export type Id = typeof Id.Type
  export type Note = typeof NoteSchema.Type
  export type Create = typeof CreateSchema.Type
}

interface NotePage {
  readonly notes: ReadonlyArray<Note.Note>
  readonly total: number
}

class NoteNotFound extends Schema.TaggedError<NoteNotFound>()("NoteNotFound", { note_id: Id }) {}

// #region
export class NoteStore extends Context.Service<NoteStore, {
  readonly create: (note: Note.Note) => Effect.Effect<void, StorageUnavailable>
  readonly list: (owner: Owner.Owner, page: Pagination.Request) => Effect.Effect<NotePage, StorageUnavailable>
  readonly remove: (id: Note.Id, owner: Owner.Owner) => Effect.Effect<void, NoteNotFound | StorageUnavailable>
}>()("@svc/runtime/note/NoteStore") {}
// #endregion

// #region
const list = HttpApiEndpoint.get("list", "/notes", {
  query: Listing.pages({ limit: 20, maximum: 100 }),
  success: Pagination.page(Note.Note, "PaginatedNotes")
})
// #endregion

// #region
const answerList = Effect.fnUntraced(function*(query: Pagination.Request) {
  const store = yield* NoteStore
  const { notes, total } = yield* store.list(yield* RequestCaller.ownerOf(undefined), query)
  return Pagination.answer(query, notes, total)
})
// #endregion

// #region
const listSql = Effect.fnUntraced(function*(owner: Owner.Owner, page: Pagination.Request) {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const columns = sql`note_id as id, user_id, text, created_at::float8`
  const from = sql`svc_notes n where ${Ownership.covers(sql, "n.user_id", owner)}`
  const rows = yield* pages.select({ columns, from, order: sql`n.seq desc`, page })
  // the total is counted only where the page does not tell it
  return { notes: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
})

const readable = ReadableRows.make(Note.Note, "note_id")
// #endregion

// #region
const findSql = Effect.fnUntraced(function*(id: Note.Id, owner: Owner.Owner) {
  const sql = yield* SqlClient.SqlClient
  const find = SqlSchema.findOneOption({
    Request: unchecked<Note.Id>(),
    Result: Note.Note,
    execute: (id) =>
      sql`
        select note_id as id, user_id, text, created_at::float8 from svc_notes n
        where n.note_id = ${text(id)} and ${Ownership.covers(sql, "n.user_id", owner)}`
  })
  return yield* readOne(find(id), { kind: "note", id })
})
// #endregion

// #region
const listMemory = (found: ReadonlyArray<Note.Note>, page: Pagination.Request): NotePage => ({
  notes: Pagination.slice(page, found),
  total: found.length
})
// #endregion

// #region
const newNote = Effect.fnUntraced(function*(payload: Note.Create) {
  const user_id = (yield* RequestCaller.ownerOfNew(payload.user_id)) ?? null
  const note: Note.Note = { id: Note.Id.make((yield* NewId)()), user_id, text: payload.text, created_at: yield* now }
  return note
})
// #endregion

// #region
export const texts: Texts = {
  operations: {
    list_notes: { summary: "List the notes", description: "Returns notes, the newest first." },
    create_note: {
      summary: "Create a note",
      description: "Stores a short text of a user.",
      body: { text: "Order 17 is late" }
    },
    delete_note: { summary: "Delete a note", description: "Removes one note." }
  },
  fields: {
    note_id: ["Id of the note", "note-1"],
    "Note.text": ["Text of the note", "Order 17 is late"],
    "NoteInput.text": ["Text of the note", "Order 17 is late"]
  }
}
// #endregion

export { answerList, findSql, list, listMemory, listSql, newNote }
