// Finds runs in memory, the last changed one first.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunItem from "@svc-runtime/domain/RunItem"
import type * as Session from "@svc-runtime/domain/Session"
import * as Usage from "@svc-runtime/domain/Usage"
import { millisOf } from "@svc-runtime/engine/run/endedTimes"
import {
  type FoundRun,
  type FoundRuns,
  type ListedRuns,
  maxCounted,
  type RunFilter,
  type RunListFilter,
  type RunSearch
} from "@svc-runtime/engine/run/store/RunReads"
import type { MemoryDatabase, StoredRun } from "./MemoryDatabase.ts"

const metadataOf = ({ command, output }: StoredRun): Json.Object | null => {
  const requested = command?.["metadata"]
  return output.metadata ?? (Json.isObject(requested) ? requested : null)
}

/** Without messages, and of its events only the last one of a failed run. */
const outlineOf = ({ events, output }: StoredRun): AnyRun.Output => {
  const last = output.status === "ERROR" ? events.slice(-1) : []
  return AnyRun.withLog(output, { messages: [], events: last.map((event) => Json.of(event)) })
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
    ...(isReading ? { output: outlineOf(stored) } : {})
  }
}

const errorTypeOf = ({ events }: StoredRun): unknown => {
  const last = events.at(-1)
  return last !== undefined && "error_type" in last ? last.error_type : undefined
}

const newestFirst = (left: FoundRun, right: FoundRun): number =>
  right.updated_at - left.updated_at || right.position - left.position

/** The first ones whose bytes fit, at least one, and the bytes of all. */
const fitting = <A>(found: ReadonlyArray<A>, bytesOf: (run: A) => number, limit: number) => {
  const sizes = found.map(bytesOf)
  let bytes = 0
  const end = sizes.findIndex((size, index) => {
    bytes += size
    return bytes > limit && index > 0
  })
  return { runs: end === -1 ? found : found.slice(0, end), bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The outlines that fit into a response. */
export const outlines = (found: ReadonlyArray<StoredRun>, limit: number): ReadonlyArray<AnyRun.Output> =>
  fitting(found.map(outlineOf), (run) => JSON.stringify(run).length, limit).runs

export const search = (
  runs: Iterable<StoredRun>,
  lookUp: (id: Run.Id, session: Session.Id | undefined, filter: RunFilter) => StoredRun | undefined,
  { after, errorType, filter, isReading, limit, nodes, offset = 0, run_id, session_id, statuses, updatedFrom }:
    RunSearch,
  responseLimit: number
): FoundRuns => {
  const found = [...runs].flatMap((run) => {
    const { output } = run
    const isMeant = (run_id === undefined || output.run_id === run_id) && output.parent_run_id === undefined &&
      (statuses === undefined || statuses.includes(output.status)) &&
      (nodes === undefined || run.node.startsWith(nodes)) &&
      (errorType === undefined || (errorTypeOf(run) === errorType.type) === errorType.isMeant) &&
      lookUp(output.run_id, session_id, filter) !== undefined
    return isMeant ? [toFound(run, isReading)] : []
  }).filter(({ updated_at }) => updatedFrom === undefined || updated_at >= updatedFrom).toSorted(newestFirst)
  const page = after === undefined ? found : found.filter((run) => newestFirst(after as FoundRun, run) < 0)
  const wanted = page.slice(offset, offset + limit)
  return {
    ...fitting(wanted, ({ output }) => output === undefined ? 0 : JSON.stringify(output).length, responseLimit),
    total: Math.min(found.length, maxCounted)
  }
}

const usedBy = (output: AnyRun.Output): Pick<RunItem.Stored, "duration" | "usage"> => {
  const hasEnded = output.status !== "PENDING" && output.status !== "RUNNING"
  if (!hasEnded && output.metrics === undefined) return { usage: null, duration: null }
  return { usage: Usage.countersOf(AnyRun.usageOf(output)), duration: millisOf(output).duration }
}

const sortedValue = ({ duration, usage }: RunItem.Stored, by: string): number | undefined => {
  if (by === "duration") return duration ?? undefined
  return by === "cost" || by === "total_tokens" ? usage?.[by] : undefined
}

export const listAll = (
  { runs, sessions }: Pick<MemoryDatabase["Service"], "runs" | "sessions">,
  { component_id, kind, owner, session_id, sort = { by: "created_at", order: "desc" }, status, ...wanted }:
    RunListFilter,
  page: Pagination.Request
): ListedRuns => {
  const found = [...runs.values()].flatMap((stored) => {
    const { created_at, parent_run_id, run_id, ...output } = stored.output
    const session = sessions.get(output.session_id as Session.Id)?.session
    const isMeant = parent_run_id === undefined && (kind === undefined || stored.kind === kind) &&
      (component_id === undefined || stored.component_id === component_id) &&
      (wanted.run_id === undefined || run_id === wanted.run_id) &&
      (session_id === undefined || output.session_id === session_id) &&
      (status === undefined || output.status === status) &&
      (wanted.createdAfter === undefined || created_at >= wanted.createdAfter) &&
      (wanted.createdBefore === undefined || created_at <= wanted.createdBefore)
    if (!isMeant || session === undefined || !Owner.coversIn(owner, session)) return []
    const { derived_name, session_name, user_id } = session
    return [{
      sequence: stored.sequence,
      run: {
        run_id,
        session_id: session.session_id,
        user_id,
        status: output.status,
        kind: stored.kind,
        component_id: stored.component_id,
        version: stored.component_version ?? null,
        session_name,
        derived_name,
        model: output.model ?? null,
        model_provider: output.model_provider ?? null,
        ...usedBy(stored.output),
        created_at,
        updated_at: stored.updatedAt ?? created_at
      }
    }]
  }).toSorted((left, right) => right.sequence - left.sequence)
  const sorted = sort.by === "created_at" && sort.order === "desc" ? found : found.slice(0, maxCounted).toSorted(
    (left, right) => {
      const [a, b] = [sortedValue(left.run, sort.by), sortedValue(right.run, sort.by)]
      if (a === undefined && b !== undefined) return 1
      if (b === undefined && a !== undefined) return -1
      return (sort.order === "asc" ? 1 : -1) * ((a ?? 0) - (b ?? 0) || left.sequence - right.sequence)
    }
  )
  return {
    runs: Pagination.slice(page, sorted).map(({ run }) => run),
    total: Math.min(found.length, maxCounted)
  }
}
