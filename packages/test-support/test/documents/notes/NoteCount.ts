// A repeating job, which one node executes at a time: it warns when there are many notes.
import * as Owner from "@svc-runtime/domain/Owner"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Effect } from "effect"
import { NoteStore } from "./NoteStore.ts"

// #region
export const kind = (many: number) =>
  Effect.map(NoteStore, (notes) =>
    JobKind.repeating({
      name: "note-count",
      every: "1 hour",
      handle: Effect.fnUntraced(function*() {
        const { total } = yield* notes.list(Owner.anyone, { page: 1, limit: 1 })
        if (total > many) yield* Effect.logWarning(`There are ${total} notes`)
      })
    }))
// #endregion
