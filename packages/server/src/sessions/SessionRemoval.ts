// Deletes sessions. Their runs are cancelled first: a run that cannot be read must not continue, and its waiting
// callers get the error that it was cancelled, or that its session was deleted. They are cancelled by the engine:
// RunService cancels runs of registered components only.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { Database } from "@svc-runtime/engine/database/Database"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import { Clock, Effect } from "effect"

/** The maximum number of runs that are read before they are cancelled. */
const runsAtOnce = 1000

/** Their statements are sent as one batch. */
const cancelsAtOnce = 32

export const remove = Effect.fnUntraced(function*(
  { engine, traces }: {
    readonly engine: RunEngine["Service"]
    /** Of the service's own database, which has the traces of all runs. Undefined: the service has no traces. */
    readonly traces: TraceStore["Service"] | undefined
  },
  database: Database,
  given: ReadonlyArray<Session.Id>,
  filter: { readonly owner: Owner.Owner }
) {
  const ids = given.filter((id) => Owner.coversSession(filter.owner, id))
  /** Their nodes have not ended them yet. */
  const requested = new Set<Run.Id>()
  for (;;) {
    const found = yield* database.runs.unfinished(ids, filter.owner, runsAtOnce)
    const fresh = found.filter(({ run_id }) => !requested.has(run_id))
    yield* Effect.forEach(fresh, (run) => engine.cancel({ ...run, filter, database: database.id }), {
      concurrency: cancelsAtOnce,
      discard: true
    })
    if (fresh.length === 0 || found.length < runsAtOnce) break
    for (const { run_id } of fresh) requested.add(run_id)
  }
  const now = Effect.map(Clock.currentTimeMillis, (millis) => millis * 1000 + 999)
  // a client that disconnects, or a crash, must not leave the traces of sessions that are removed already
  if (traces !== undefined) yield* traces.recordRemovalOfSessions(ids, filter.owner, yield* now, database.id)
  yield* database.sessions.remove(ids, filter.owner).pipe(
    Effect.andThen(
      Effect.flatMap(now, (at) => traces?.removeOfSessions(ids, filter.owner, at, database.id) ?? Effect.void)
    ),
    Effect.uninterruptible
  )
})
