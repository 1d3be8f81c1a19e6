// The port of notes.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type * as Note from "./Note.ts"

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
}>()("@svc-runtime/features/notes/NoteStore") {}
