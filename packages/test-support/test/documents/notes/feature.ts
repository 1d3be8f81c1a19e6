// Notes: short texts that a user keeps.
import * as DeclaredOption from "@svc-runtime/features/declarations/DeclaredOption"
import * as Feature from "@svc-runtime/features/Feature"
import { count } from "@svc-runtime/http/config/ConfigReaders"
import { notes as migrations } from "./migrations.ts"
import * as Endpoints from "./NotesApi.ts"
import { NoteStore } from "./NoteStore.ts"

// #region
declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly notes: typeof NoteStore
  }
}

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** Words that notes may not begin with. */
    readonly reservedWords?: ReadonlyArray<{ readonly name: string }> | undefined
  }
}

export const notes = Feature.make({
  name: "notes",
  groups: [Endpoints.Notes],
  stores: { notes: NoteStore },
  inMemory: () => import("./MemoryNoteStore.ts"),
  migrations,
  settings: count("MANY_NOTES", 10_000),
  declared: DeclaredOption.make("reservedWords", { label: "The reserved word", kinds: { name: "text" } }),
  load: () => import("./live.ts")
})
// #endregion
