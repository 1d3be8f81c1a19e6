// `NoteStore` in memory, for services of tests.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { storableText } from "@svc-runtime/domain/storableText"
import { Effect, Layer, Option } from "effect"
import type * as Note from "./Note.ts"
import { NoteStore } from "./NoteStore.ts"

export const layer: Layer.Layer<NoteStore> = Layer.sync(NoteStore, () => {
  const notes = new Map<Note.Id, Note.Note>()
  const covered = (owner: Owner.Owner) => [...notes.values()].filter(({ user_id }) => Owner.covers(owner, user_id))
  const find = (id: Note.Id, owner: Owner.Owner) =>
    Option.fromUndefinedOr(covered(owner).find((note) => note.id === id))
  return NoteStore.of({
    create: (note) => Effect.sync(() => void notes.set(note.id, { ...note, text: storableText(note.text) })),
    find: (id, owner) => Effect.sync(() => find(id, owner)),
    list: (owner, page) =>
      Effect.sync(() => {
        const found = covered(owner).toReversed()
        return { notes: Pagination.slice(page, found), total: found.length }
      }),
    remove: (id, owner) => Effect.sync(() => Option.isSome(find(id, owner)) && notes.delete(id))
  })
})
