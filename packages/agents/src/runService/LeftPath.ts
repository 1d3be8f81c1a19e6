// Runs that have not ended, and that leave the path of their session when another run comes to a place before them. No
// one sees what they do or ask any more, so they are cancelled.
import type * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "@svc-runtime/domain/RunStatus"
import type { FoundRun, PlacedRun } from "@svc-runtime/engine/run/store/RunReads"
import type { Place } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect } from "effect"

/** Of one component in one session, as the caller may see them. */
export interface Reads<E, R> {
  /** Those on the path, the last changed one first. */
  readonly onPath: (
    statuses: ReadonlyArray<RunStatus.Status> | undefined
  ) => Effect.Effect<ReadonlyArray<FoundRun>, E, R>
  readonly places: (
    session_id: FoundRun["session_id"],
    run_ids: ReadonlyArray<Run.Id>
  ) => Effect.Effect<ReadonlyArray<PlacedRun>, E, R>
}

const open: ReadonlyArray<RunStatus.Status> = [...RunStatus.active, "PAUSED"]

/**
 * Asked before the run comes. An edited message whose place is not known comes after the leaf: only the last run of the
 * path is certainly not before it, and is replaced.
 */
export const by = Effect.fnUntraced(
  function*<E, R>({ onPath, places }: Reads<E, R>, { known, otherwise }: Place, isEdit: boolean) {
    const found = yield* onPath(open)
    const [first] = found
    if (first === undefined) return []
    const latest = yield* onPath(undefined)
    const run_ids = [...known, ...found, ...latest].map(({ run_id }) => run_id)
    const placed = yield* places(first.session_id, run_ids)
    const path = placed.flatMap(({ is_on_path, run_id }) => is_on_path ? [run_id] : [])
    const shown = known.find(({ run_id }) => placed.some((each) => each.run_id === run_id))
    const index = shown === undefined ? -1 : path.indexOf(shown.run_id)
    const behind = index >= 0
      ? path.slice(shown?.isBefore === true ? index : index + 1)
      : shown !== undefined
      ? []
      : otherwise === "first"
      ? path
      : path.slice(isEdit ? -1 : path.length)
    return found.filter(({ run_id }) => behind.includes(run_id))
  }
)
