// The endpoints of notes, and their texts in the document of the API.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Forbidden, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Note from "./Note.ts"

const params = { note_id: Note.Id }
const errors = [BadRequest, NotFound, Unavailable] as const

const list = HttpApiEndpoint.get("list", "/notes", {
  query: Listing.pages({ limit: 20, maximum: 100 }),
  success: Pagination.page(Note.Note, "PaginatedNotes"),
  error: errors
})
  .annotateMerge(requires("notes:read"))
  .annotate(OpenApi.Identifier, "list_notes")

export class Notes extends HttpApiGroup.make("notes")
  .add(
    list,
    HttpApiEndpoint.post("create", "/notes", {
      payload: Note.Create,
      success: Note.Note,
      error: [...errors, Forbidden]
    })
      .annotateMerge(requires("notes:write"))
      .annotate(OpenApi.Identifier, "create_note"),
    HttpApiEndpoint.get("get", "/notes/:note_id", { params, success: Note.Note, error: errors })
      .annotateMerge(requires("notes:read"))
      .annotate(OpenApi.Identifier, "get_note"),
    HttpApiEndpoint.delete("remove", "/notes/:note_id", { params, success: HttpApiSchema.NoContent, error: errors })
      .annotateMerge(requires("notes:delete"))
      .annotate(OpenApi.Identifier, "delete_note")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(OpenApi.annotations({ title: "Notes", description: "Short texts that users keep" }))
{}

export const texts: Texts = {
  operations: {
    list_notes: { summary: "List the notes", description: "Returns notes, the newest first." },
    create_note: {
      summary: "Create a note",
      description: "Stores a short text of a user.",
      body: { text: "Order 17 is late" }
    },
    get_note: { summary: "Get a note", description: "Returns one note." },
    delete_note: { summary: "Delete a note", description: "Removes one note." }
  },
  fields: {
    note_id: ["Id of the note", "note-1"],
    "Note.id": ["Id of the note", "note-1"],
    "Note.text": ["Text of the note", "Order 17 is late"],
    "NoteInput.text": ["Text of the note", "Order 17 is late"]
  }
}
