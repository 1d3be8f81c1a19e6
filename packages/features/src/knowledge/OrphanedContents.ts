// Ends contents that would be processed forever: their job failed with its last node, or was removed. One repeating
// job of each database.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import { ContentStore } from "./ContentStore.ts"
import { orphanedAtOnce } from "./KnowledgeLimits.ts"

/** Seconds without a change, before a content without a job is orphaned. */
const gracePeriod = 60

const status_message = "The content could not be processed: its job ended without a result. Upload it again."

export const kind = Effect.gen(function*() {
  const contents = yield* ContentStore
  return JobKind.repeating({
    name: "abandoned_contents",
    every: "1 minute",
    handle: Effect.fnUntraced(function*() {
      for (;;) {
        const at = yield* now
        const count = yield* contents.failOrphaned({ before: at - gracePeriod, status_message }, at)
        if (count > 0) yield* Effect.logWarning(`Knowledge: ${count} content(s) had no job anymore, and are failed now`)
        if (count < orphanedAtOnce) break
      }
    })
  })
})
