// The path of a run in the tree of its session, in memory.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { PlacedRun } from "@svc-runtime/engine/run/store/RunReads"
import type { Place } from "@svc-runtime/engine/run/store/RunWrites"
import type { MemoryDatabase, StoredRun, StoredSession } from "./MemoryDatabase.ts"

export const isRoot = ({ output }: StoredRun): boolean => output.parent_run_id === undefined

/** Where a path ends: its last run has this number, or is the newest one before it. Undefined: the newest run. */
export type End = number | undefined

/** The path that leads to a run ends before that run. */
export const before = ({ after, sequence }: StoredRun): End => after ?? sequence - 1

export const make = ({ runs, runsOf, sessions }: Pick<MemoryDatabase["Service"], "runs" | "runsOf" | "sessions">) => {
  /** The root runs of a path, from its end. */
  const backwards = function*(session: Session.Id, end: End): Generator<StoredRun> {
    const ids = runsOf.get(session) ?? []
    let upto = end ?? Number.POSITIVE_INFINITY
    for (let at = ids.length - 1; at >= 0; at--) {
      const run = runs.get(ids[at] as Run.Id)
      if (run === undefined || !isRoot(run) || run.sequence > upto) continue
      yield run
      if (run.after !== undefined) upto = run.after
    }
  }

  /** The path that leads to the leaf. */
  const leafOf = (session: Session.Id): End => sessions.get(session)?.leafRun

  /** The numbers of the root runs of a path. */
  const numbers = (session: Session.Id, end: End): ReadonlySet<number> =>
    new Set([...backwards(session, end)].map(({ sequence }) => sequence))

  const last = (session: Session.Id, end: End): StoredRun | undefined =>
    backwards(session, end).next().value ?? undefined

  /** Whether the summary of a session covers only runs on the path. */
  const covers = ({ session, summarizedRun = 0 }: StoredSession, end: End): boolean =>
    summarizedRun === 0 || numbers(session.session_id, end).has(summarizedRun)

  /** The last of the additions that follow the run on the path to the leaf, with no other run in between. */
  const lastAddition = (session: Session.Id, { sequence }: StoredRun): number | undefined => {
    const path = [...backwards(session, leafOf(session))].reverse()
    const known = path.findIndex((run) => run.sequence === sequence)
    if (known < 0) return undefined
    const later = path.slice(known + 1)
    const others = later.findIndex(({ isAddition }) => isAddition !== true)
    return later.slice(0, others < 0 ? undefined : others).at(-1)?.sequence
  }

  /** The leaf that a session gets. */
  const leafAt = (session: Session.Id, leaf: Run.Id | null): number | "missing" | undefined => {
    if (leaf === null) return newestIs(session, 0)
    const run = runs.get(leaf)
    if (run === undefined || !isRoot(run) || run.output.session_id !== session) return "missing"
    return newestIs(session, run.sequence)
  }

  /** What a new run stores: undefined if it comes after the newest run, `missing` if its place is not there. */
  const afterOf = (session: Session.Id, place: Place | undefined): number | "missing" | undefined => {
    if (place === undefined) return leafOf(session)
    for (const { isBefore = false, run_id } of place.known) {
      const run = runs.get(run_id)
      if (run === undefined || !isRoot(run) || run.output.session_id !== session) continue
      const sequence = isBefore
        ? last(session, before(run))?.sequence ?? 0
        : lastAddition(session, run) ?? run.sequence
      return newestIs(session, sequence)
    }
    if (place.otherwise === "addition") return sessions.has(session) ? leafOf(session) : "missing"
    if (place.otherwise === "leaf") return leafOf(session)
    return place.otherwise === "notFound" ? "missing" : newestIs(session, 0)
  }

  /** Undefined if the newest root run of the session has this number. */
  const newestIs = (session: Session.Id, sequence: number): number | undefined => {
    const newest = (runsOf.get(session) ?? []).flatMap((id) => runs.get(id) ?? []).findLast(isRoot)
    return sequence === (newest?.sequence ?? 0) ? undefined : sequence
  }

  const places = (session: Session.Id, wanted: ReadonlyArray<Run.Id>): ReadonlyArray<PlacedRun> => {
    const onPath = numbers(session, leafOf(session))
    return (runsOf.get(session) ?? []).flatMap((id) => {
      const run = runs.get(id)
      if (run === undefined || !isRoot(run) || !wanted.includes(id)) return []
      const previous_run_id = last(session, before(run))?.output.run_id ?? null
      return [{
        run_id: id,
        previous_run_id,
        is_on_path: onPath.has(run.sequence),
        is_addition: run.isAddition === true
      }]
    })
  }

  return { backwards, leafOf, numbers, last, covers, afterOf, leafAt, newestIs, places }
}
