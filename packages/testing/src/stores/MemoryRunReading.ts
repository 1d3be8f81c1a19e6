// Finds runs in memory: single runs that a caller may see, pages of them, and histories.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import type { MemberHistoryQuery, RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import type { MemoryDatabase, StoredRun } from "./MemoryDatabase.ts"
import * as MemoryPath from "./MemoryPath.ts"

/** Its part of later histories. */
const historyOf = ({ messages, output: { status } }: StoredRun): ReadonlyArray<Message.Message> => {
  const own = messages.filter(({ from_history, role }) => role !== "system" && role !== "developer" && !from_history)
  return UnfinishedTurn.isUnfinished(status) ? UnfinishedTurn.shown(own, status) : own
}

/** In the history of another run. */
export const isShown = (run: StoredRun, skipsUnfinished: boolean): boolean => {
  const { status } = run.output
  return status === "COMPLETED" ||
    (!skipsUnfinished && UnfinishedTurn.isUnfinished(status) && historyOf(run).length > 0)
}

/** In bytes. */
export interface Limits {
  readonly history: number
  readonly answer: number
}

/** What a run is shown. */
interface Wanted {
  readonly count: number
  readonly skipsUnfinished: boolean
}

const encoder = new TextEncoder()

const bytesOf = (messages: ReadonlyArray<Message.Message>): number =>
  messages.reduce((sum, message) => sum + encoder.encode(JSON.stringify(message)).length, 0)

export const isRunning = ({ output }: StoredRun) => Run.isActive(output.status)

export const make = ({ runs, runsOf, sessions }: MemoryDatabase["Service"], limits: Limits) => {
  const path = MemoryPath.make({ runs, runsOf, sessions })

  const ordered = (session: Session.Id): ReadonlyArray<StoredRun> =>
    (runsOf.get(session) ?? []).flatMap((id) => runs.get(id) ?? [])

  const isVisible = (id: Session.Id, filter: RunFilter): boolean => {
    const session = sessions.get(id)?.session
    if (session === undefined || !Owner.coversIn(filter.owner, session)) return false
    const { component } = filter
    return component === undefined ||
      (session.session_type === component.kind && Session.componentIdOf(session) === component.id)
  }

  const isWanted = (filter: RunFilter) => (run: StoredRun): boolean =>
    (filter.component === undefined ||
      (run.kind === filter.component.kind && run.component_id === filter.component.id)) &&
    (filter.status === undefined || run.output.status === filter.status) &&
    (filter.startClaim === undefined || run.startClaim === filter.startClaim) &&
    (filter.createdAfter === undefined || run.output.created_at >= filter.createdAfter) &&
    (filter.createdBefore === undefined || run.output.created_at <= filter.createdBefore)

  /** Undefined when there is no such run that the caller may see; in any session, where none is named. */
  const lookUp = (id: Run.Id, session: Session.Id | undefined, filter: RunFilter): StoredRun | undefined => {
    const run = runs.get(id)
    const of = run?.output.session_id as Session.Id
    if (run === undefined || (session !== undefined && session !== of)) return undefined
    return isVisible(of, filter) && isWanted(filter)(run) ? run : undefined
  }

  const whole = (run: StoredRun): AnyRun.Output =>
    AnyRun.withLog(run.output, {
      messages: run.messages,
      events: run.events.filter((event) => !RunEvent.isContent(event)) as ReadonlyArray<Json.Object>
    })

  /** Walks back from the end of a path, so that it costs what it gives. */
  const history = (session: Session.Id, { count, skipsUnfinished }: Wanted, end: MemoryPath.End) => {
    const found: Array<StoredRun> = []
    if (count > 0) {
      for (const run of path.backwards(session, end)) {
        if (isShown(run, skipsUnfinished)) found.push(run)
        if (found.length >= count) break
      }
    }
    return fitting(found).reverse().flatMap(historyOf)
  }

  /** The first ones whose parts fit into the limit. */
  const fitting = (newest: ReadonlyArray<StoredRun>): Array<StoredRun> => {
    let bytes = 0
    const end = newest.findIndex((run) => (bytes += bytesOf(historyOf(run))) > limits.history)
    return newest.slice(0, end < 0 ? newest.length : end)
  }

  const outermost = (run: StoredRun): StoredRun => {
    const outer = run.output.parent_run_id === undefined ? undefined : runs.get(run.output.parent_run_id)
    return outer === undefined ? run : outermost(outer)
  }

  /** The first page has the newest, each with the runs inside of it. */
  const pageOf = (wanted: ReadonlyArray<StoredRun>, page: Pagination.Request): ReadonlyArray<StoredRun> => {
    const groups = [...Map.groupBy(wanted, (run) => outermost(run).output.run_id).values()]
    const end = groups.length - Pagination.offset(page)
    return groups.slice(Math.max(0, end - page.limit), Math.max(0, end)).flat()
  }

  const recall = ({ component, limit, run_id, skipsUnfinished = false, team }: MemberHistoryQuery) => {
    const asking = runs.get(run_id)
    if (asking === undefined) return []
    const onPath = path.numbers(asking.output.session_id as Session.Id, MemoryPath.before(asking))
    const isMeant = (run: StoredRun) => {
      const { parent_run_id } = run.output
      return parent_run_id !== undefined && isShown(run, skipsUnfinished) &&
        run.kind === component.kind && run.component_id === component.id &&
        runs.get(parent_run_id)?.component_id === team && onPath.has(outermost(run).sequence) &&
        !isRunning(outermost(run))
    }
    const found = ordered(asking.output.session_id as Session.Id).filter(isMeant).slice(-limit)
    return fitting(found.reverse()).reverse().flatMap(historyOf)
  }

  return { ordered, isVisible, isWanted, lookUp, whole, history, pageOf, recall }
}
