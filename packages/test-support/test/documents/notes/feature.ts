// Notes: short texts that a user keeps.
import * as Feature from "@svc-runtime/features/Feature"
import { notes as migrations } from "./migrations.ts"
import * as Endpoints from "./NotesApi.ts"
import { NoteStore } from "./NoteStore.ts"

// #region
declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly notes: typeof NoteStore
  }
}

export const notes = Feature.make({
  name: "notes",
  groups: [Endpoints.Notes],
  stores: { notes: NoteStore },
  inMemory: () => import("./MemoryNoteStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
// #endregion
