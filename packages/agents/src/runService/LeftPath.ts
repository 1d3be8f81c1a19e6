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

/** As many runs of another branch are looked at. */
const maxBranch = 100

/** What is known of the client that has chosen the place. */
export interface Client {
  /** It has edited a message, or has an answer made again. */
  readonly isEdit: boolean
  /** It always sends all messages that it shows. */
  readonly isWhole: boolean
}

/** The last run before a place that is on the path. Null: there is none. Undefined: it was not found. */
const forkOf = Effect.fnUntraced(function*<E, R>(
  placesOf: (run_ids: ReadonlyArray<Run.Id>) => Effect.Effect<ReadonlyArray<PlacedRun>, E, R>,
  from: Run.Id | null
) {
  let last = from
  for (let looked = 0; looked < maxBranch; looked++) {
    if (last === null) return null
    const [run] = yield* placesOf([last])
    if (run === undefined) return undefined
    if (run.is_on_path) return last
    last = run.previous_run_id
  }
  return undefined
})

/**
 * Asked before the run comes. A place on another branch moves the path to it, and what is behind the fork leaves. An
 * edited message whose place is not known comes after the leaf: only the last run of the path is certainly not before
 * it. A client that shows more than it sends can show what is behind its place.
 */
export const by = Effect.fnUntraced(
  function*<E, R>({ onPath, places }: Reads<E, R>, { known, otherwise }: Place, { isEdit, isWhole }: Client) {
    if (!isEdit && !isWhole && known.length === 0) return []
    const found = yield* onPath(open)
    const [first] = found
    if (first === undefined) return []
    const placesOf = (run_ids: ReadonlyArray<Run.Id>) => places(first.session_id, run_ids)
    const latest = yield* onPath(undefined)
    const run_ids = [...known, ...found, ...latest].map(({ run_id }) => run_id)
    const placed = yield* placesOf(run_ids)
    const shown = known.find(({ run_id }) => placed.some((each) => each.run_id === run_id))
    const at = placed.find(({ run_id }) => run_id === shown?.run_id)
    if (!isEdit && !isWhole && at?.is_on_path !== false) return []
    const fork = at === undefined
      ? undefined
      : yield* forkOf(placesOf, shown?.isBefore === true ? at.previous_run_id : at.run_id)
    if (at !== undefined && fork === undefined) return []
    const ordered = fork === undefined || fork === null ? placed : yield* placesOf([...run_ids, fork])
    const onLeafPath = ordered.filter(({ is_on_path }) => is_on_path)
    const path = onLeafPath.map(({ run_id }) => run_id)
    const behindFork = onLeafPath.slice(path.findIndex((run_id) => run_id === fork) + 1)
    // additions stay with the run that the new one comes after
    const firstLeft = at?.is_on_path === true && shown?.isBefore !== true
      ? behindFork.findIndex(({ is_addition }) => !is_addition)
      : 0
    const behind = at !== undefined
      ? behindFork.slice(firstLeft < 0 ? behindFork.length : firstLeft).map(({ run_id }) => run_id)
      : otherwise === "first"
      ? path
      : path.slice(isEdit ? -1 : path.length)
    return found.filter(({ run_id }) => behind.includes(run_id))
  }
)
