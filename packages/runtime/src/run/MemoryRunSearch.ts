// Finds runs in memory, the last changed one first.
import * as AnyRun from "@svc/domain/AnyRun"
import * as Json from "@svc/domain/Json"
import type * as Run from "@svc/domain/Run"
import type * as Session from "@svc/domain/Session"
import type { StoredRun } from "../MemoryDatabase.ts"
import { type FoundRun, type FoundRuns, maxCounted, type RunFilter, type RunSearch } from "./RunReads.ts"

const metadataOf = ({ command, output }: StoredRun): Json.Object | null => {
  const requested = command?.["metadata"]
  return output.metadata ?? (Json.isObject(requested) ? requested : null)
}

const outputOf = ({ events, output }: StoredRun): AnyRun.Output => {
  const last = output.status === "ERROR" ? events.slice(-1) : []
  return AnyRun.withLog(output, { messages: [], events: last as unknown as ReadonlyArray<Json.Object> })
}

const toFound = (stored: StoredRun, isReading = false): FoundRun => {
  const { created_at, run_id, session_id, status } = stored.output
  return {
    run_id,
    session_id: session_id as Session.Id,
    status,
    metadata: metadataOf(stored),
    updated_at: stored.updatedAt ?? created_at,
    position: stored.sequence,
    ...(isReading ? { output: outputOf(stored) } : {})
  }
}

const errorTypeOf = ({ events }: StoredRun): unknown => {
  const last = events.at(-1)
  return last !== undefined && "error_type" in last ? last.error_type : undefined
}

const newestFirst = (left: FoundRun, right: FoundRun): number =>
  right.updated_at - left.updated_at || right.position - left.position

export const search = (
  runs: Iterable<StoredRun>,
  lookUp: (id: Run.Id, session: Session.Id | undefined, filter: RunFilter) => StoredRun | undefined,
  { after, errorType, filter, isReading, limit, run_id, session_id, statuses, updatedFrom }: RunSearch
): FoundRuns => {
  const found = [...runs].flatMap((run) => {
    const { output } = run
    const isMeant = (run_id === undefined || output.run_id === run_id) && output.parent_run_id === undefined &&
      (statuses === undefined || statuses.includes(output.status)) &&
      (errorType === undefined || (errorTypeOf(run) === errorType.type) === errorType.isMeant) &&
      lookUp(output.run_id, session_id, filter) !== undefined
    return isMeant ? [toFound(run, isReading)] : []
  }).filter(({ updated_at }) => updatedFrom === undefined || updated_at >= updatedFrom).toSorted(newestFirst)
  const page = after === undefined ? found : found.filter((run) => newestFirst(after as FoundRun, run) < 0)
  return { runs: page.slice(0, limit), total: Math.min(found.length, maxCounted) }
}
