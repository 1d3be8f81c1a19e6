// The block of docs/adding-a-resource.md about the port and its layer in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer, Option } from "effect"
import type * as Note from "./Note.ts"

// #region
export interface NotePage {
  readonly notes: ReadonlyArray<Note.Note>
  readonly total: number
}

export class NoteStore extends Context.Service<NoteStore, {
  readonly create: (note: Note.Note) => Effect.Effect<void, StorageUnavailable>
  /** None if the owner has no such note. */
  readonly find: (id: Note.Id, owner: Owner.Owner) => Effect.Effect<Option.Option<Note.Note>, StorageUnavailable>
  /** Newest first. */
  readonly list: (owner: Owner.Owner, page: Pagination.Request) => Effect.Effect<NotePage, StorageUnavailable>
  /** False if the owner has no such note. */
  readonly remove: (id: Note.Id, owner: Owner.Owner) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc-runtime/agents/note/NoteStore") {
  static readonly layerMemory: Layer.Layer<NoteStore> = Layer.sync(NoteStore, () => {
    const notes = new Map<Note.Id, Note.Note>()
    const isCovered = (owner: Owner.Owner) => ({ user_id }: Note.Note) => Owner.covers(owner, user_id)
    const find = (id: Note.Id, owner: Owner.Owner) =>
      Option.filter(Option.fromUndefinedOr(notes.get(id)), isCovered(owner))
    return NoteStore.of({
      create: (note) => Effect.sync(() => void notes.set(note.id, note)),
      find: (id, owner) => Effect.sync(() => find(id, owner)),
      list: (owner, page) =>
        Effect.sync(() => {
          const found = [...notes.values()].filter(isCovered(owner)).toReversed()
          return { notes: Pagination.slice(page, found), total: found.length }
        }),
      remove: (id, owner) => Effect.sync(() => Option.isSome(find(id, owner)) && notes.delete(id))
    })
  })
}
// #endregion
