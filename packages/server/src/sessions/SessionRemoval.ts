// Deletes sessions. Their runs are cancelled first: a run that cannot be read must not continue, and its waiting
// callers get the error that it was cancelled, or that its session was deleted.
import type * as Owner from "@svc/domain/Owner"
import type * as Session from "@svc/domain/Session"
import type { Database } from "@svc/runtime/database/Database"
import type { RunEngine } from "@svc/runtime/run/RunEngine"
import { Effect } from "effect"

/** The maximum number of runs that are read before they are cancelled. */
const runsAtOnce = 1000

export const remove = Effect.fnUntraced(function*(
  engine: RunEngine["Service"],
  database: Database,
  ids: ReadonlyArray<Session.Id>,
  filter: { readonly owner: Owner.Owner }
) {
  let hasMore = true
  while (hasMore) {
    const found = yield* database.runs.unfinished(ids, filter.owner, runsAtOnce)
    for (const run of found) yield* engine.cancel({ ...run, filter, database: database.id })
    hasMore = found.length === runsAtOnce
  }
  yield* database.sessions.remove(ids, filter.owner)
})
