// The store of notes, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NoteStore } from "../NoteStore.ts"
import { noteOf } from "./NoteStoreSuite.ts"

export const stores: CheckedStores = {
  history: { notes: ["tables"] },
  tables: ["svc_notes"],
  fill: Effect.fnUntraced(function*(rows) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into svc_notes (id, user_id, text, created_at)
      select 'note-' || number, 'user-' || number % 100, 'text', 1 from generate_series(1, ${rows}::int) as number`
  }),
  calls: Effect.map(NoteStore, (notes) => {
    const note = noteOf()
    const owner = Owner.user(userId())
    return {
      "notes.create": notes.create(note),
      "notes.find": notes.find(note.id, owner),
      "notes.list": notes.list(owner, { page: 1, limit: 1 }),
      "notes.remove": notes.remove(note.id, owner)
    }
  }),
  ofOneRow: ["notes.find"]
}
