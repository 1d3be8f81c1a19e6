// Deletes sessions. Their runs are cancelled first: a run that cannot be read must not continue, and its waiting
// callers get the error that it was cancelled, or that its session was deleted.
import * as Run from "@svc/domain/Run"
import type * as Session from "@svc/domain/Session"
import type { Database } from "@svc/runtime/database/Database"
import type { RunEngine } from "@svc/runtime/run/RunEngine"
import type { RunFilter } from "@svc/runtime/run/RunReads"
import { Effect, Option } from "effect"

const unfinished = ["RUNNING", "PENDING"] as const satisfies ReadonlyArray<Run.Status>

const cancelRuns = Effect.fnUntraced(
  function*(engine: RunEngine["Service"], database: Database, session_id: Session.Id, filter: RunFilter) {
    for (const status of unfinished) {
      // callers of runs that are too large to be listed get the error that their session was deleted
      const listed = Effect.catchTag(
        database.runs.list(session_id, { ...filter, status }),
        "AnswerTooLarge",
        () => Effect.succeedNone
      )
      const found = Option.getOrElse(yield* listed, () => [])
      for (const { run_id } of found) {
        yield* engine.cancel({ run_id: Run.Id.make(run_id), session_id, filter, database: database.id })
      }
    }
  }
)

export const remove = Effect.fnUntraced(function*(
  engine: RunEngine["Service"],
  database: Database,
  ids: ReadonlyArray<Session.Id>,
  filter: RunFilter
) {
  yield* Effect.forEach(ids, (id) => cancelRuns(engine, database, id, filter), { discard: true })
  yield* database.sessions.remove(ids, filter.owner)
})
