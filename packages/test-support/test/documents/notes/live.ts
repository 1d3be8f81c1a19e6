// What the feature does in a service that has it.
import * as Feature from "@svc-runtime/features/Feature"
import { Notes } from "./NotesHandlers.ts"
import * as SqlNoteStore from "./SqlNoteStore.ts"

// #region
export const live = Feature.live({
  handlers: Notes,
  stores: SqlNoteStore.layer
})
// #endregion
