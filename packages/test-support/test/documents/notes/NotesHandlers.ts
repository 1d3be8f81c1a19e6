// The handlers of notes. They get the store and the reserved words once, when the group is built.
import { Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import * as Note from "./Note.ts"
import { Notes as Endpoints } from "./NotesApi.ts"
import { NoteStore } from "./NoteStore.ts"
import { ReservedWords } from "./ReservedWords.ts"

const notFound = (id: Note.Id) => Errors.notFound(`Note with id '${id}' not found`)

export const Notes = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [notes, reserved] = [yield* NoteStore, yield* ReservedWords]

    return handlers.handleAll({
      list: Effect.fn("Notes.list")(function*({ query }) {
        const found = yield* notes.list(yield* RequestCaller.ownerOf(undefined), query)
        return Pagination.response(query, found.notes, found.total)
      }, orUnavailable),
      create: Effect.fn("Notes.create")(function*({ payload: { text, user_id } }) {
        const word = reserved.find((word) => text.startsWith(word))
        if (word !== undefined) return yield* Errors.badRequest(`A note does not begin with '${word}'`)
        const owner = (yield* RequestCaller.ownerOfNew(user_id)) ?? null
        const note: Note.Note = { id: Note.Id.make((yield* NewId)()), user_id: owner, text, created_at: yield* now }
        yield* notes.create(note)
        return note
      }, orUnavailable),
      get: Effect.fn("Notes.get")(function*({ params: { note_id } }) {
        const found = yield* notes.find(note_id, yield* RequestCaller.ownerOf(undefined))
        if (Option.isNone(found)) return yield* notFound(note_id)
        return found.value
      }, orUnavailable),
      remove: Effect.fn("Notes.remove")(function*({ params: { note_id } }) {
        if (yield* notes.remove(note_id, yield* RequestCaller.ownerOf(undefined))) return
        return yield* notFound(note_id)
      }, orUnavailable)
    })
  })
)
