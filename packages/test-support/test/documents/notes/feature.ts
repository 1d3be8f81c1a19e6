// Notes: short texts that a user keeps.
import * as Feature from "@svc-runtime/features/Feature"
import * as MemoryNoteStore from "./MemoryNoteStore.ts"
import { notes as migrations } from "./migrations.ts"
import * as Endpoints from "./NotesApi.ts"
import { Notes } from "./NotesHandlers.ts"
import { NoteStore } from "./NoteStore.ts"
import * as SqlNoteStore from "./SqlNoteStore.ts"

// #region
declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly notes: typeof NoteStore
  }
}

export const notes = Feature.make({
  name: "notes",
  groups: [Endpoints.Notes],
  handlers: Notes,
  stores: {
    services: { notes: NoteStore },
    layer: SqlNoteStore.layer,
    memory: MemoryNoteStore.layer
  },
  migrations
})
// #endregion
