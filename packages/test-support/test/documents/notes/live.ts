// What the feature does in a service that has it.
import * as Feature from "@svc-runtime/features/Feature"
import { Effect, Layer } from "effect"
import * as NoteCount from "./NoteCount.ts"
import { Notes } from "./NotesHandlers.ts"
import { ReservedWords } from "./ReservedWords.ts"
import * as SqlNoteStore from "./SqlNoteStore.ts"

// #region
export const live = Feature.live({
  handlers: Notes,
  stores: SqlNoteStore.layer,
  service: (_: number, { reservedWords = [] }: Feature.Service) =>
    Layer.succeed(ReservedWords, reservedWords.map(({ name }) => name)),
  jobs: (many, { isOwn }) => isOwn ? Effect.map(NoteCount.kind(many), (kind) => [kind]) : Effect.succeed([])
})
// #endregion
