// `NoteStore` in memory. It is in testing/src/stores, and its map is a field of `MemoryDatabase`.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Effect, Option } from "effect"
import type * as Note from "./Note.ts"
import type { NoteStore } from "./NoteStore.ts"

/** As `text()` of the statements, because a database has no U+0000. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

export const make = (notes: Map<Note.Id, Note.Note>): NoteStore["Service"] => {
  const covered = (owner: Owner.Owner) => [...notes.values()].filter(({ user_id }) => Owner.covers(owner, user_id))
  const find = (id: Note.Id, owner: Owner.Owner) =>
    Option.fromUndefinedOr(covered(owner).find((note) => note.id === id))
  return {
    create: (note) => Effect.sync(() => void notes.set(note.id, { ...note, text: storable(note.text) })),
    find: (id, owner) => Effect.sync(() => find(id, owner)),
    list: (owner, page) =>
      Effect.sync(() => {
        const found = covered(owner).toReversed()
        return { notes: Pagination.slice(page, found), total: found.length }
      }),
    remove: (id, owner) => Effect.sync(() => Option.isSome(find(id, owner)) && notes.delete(id))
  }
}
