// Checks the limits of a run that starts or continues in memory, and counts it.
import type * as Session from "@svc-runtime/domain/Session"
import { LimitReached } from "@svc-runtime/engine/run/RunErrors"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import type { MemoryDatabase, StoredRun } from "./MemoryDatabase.ts"
import * as MemoryRunReading from "./MemoryRunReading.ts"

type Database = MemoryDatabase["Service"]

interface Counted {
  readonly kind: string
  readonly component_id: string
  readonly user_id: string | null
}

const minute = 60_000

const covers = (start: StartLimits.LimitedStart, scope: StartLimits.Scope) => (counted: Counted): boolean => {
  switch (scope) {
    case "user":
      return counted.user_id === start.user_id
    case "component":
      return counted.kind === start.kind && counted.component_id === start.component_id
    case "service":
      return true
  }
}

const ofRun = ({ component_id, kind, output }: StoredRun): Counted => ({
  kind,
  component_id,
  user_id: output.user_id ?? null
})

const unfinished = ({ runs }: Database) =>
  [...runs.values()].filter((run) => MemoryRunReading.isRunning(run) && run.output.parent_run_id === undefined)

/** Runs that wait do not count, except for a run that would wait behind them. */
const openRuns = (database: Database, isCounted: (counted: Counted) => boolean): number =>
  unfinished(database).filter((run) => run.waitsFor === undefined && isCounted(ofRun(run))).length

const waitingRuns = (database: Database) => unfinished(database).filter(({ waitsFor }) => waitsFor !== undefined)

const tokensOf = (usage: unknown): number => {
  const { total_tokens: tokens } = usage as { readonly total_tokens?: unknown }
  return typeof tokens === "number" ? tokens : 0
}

/** Of the day, with the ends that are not added to their hours yet. */
const usedTokens = (
  { endedRuns, usageHours }: Database,
  isCounted: (counted: Counted) => boolean,
  today: number
): number => {
  const isToday = ({ component_id, hour, kind, user_id }: Counted & { readonly hour: number }) =>
    hour >= today * 24 && isCounted({ kind, component_id, user_id: user_id === "" ? null : user_id })
  const added = usageHours.filter(isToday).reduce((sum, { total_tokens }) => sum + total_tokens, 0)
  return endedRuns.filter(isToday).flatMap(({ usages }) => usages).reduce<number>(
    (sum, usage) => sum + tokensOf(usage),
    added
  )
}

const startsOf = ({ starts }: Database, key: string, now: number) => {
  const known = starts.get(key)
  return known !== undefined && known.since + minute > now ? known : { since: now, count: 0 }
}

const reached = (
  database: Database,
  start: StartLimits.LimitedStart,
  { runsAtOnce, runsPerMinute, scope, tokensPerDay }: StartLimits.ScopedLimits,
  now: number
): ReadonlyArray<LimitReached> => {
  const isCounted = covers(start, scope)
  const seconds = now / 1000
  const today = Math.floor(seconds / StartLimits.secondsPerDay)
  const { count, since } = startsOf(database, StartLimits.keyOf(start, scope), now)
  const ahead = start.maxWaiting === undefined ? 0 : waitingRuns(database).map(ofRun).filter(isCounted).length
  const used = {
    runsAtOnce: [runsAtOnce, ahead, () => openRuns(database, isCounted), StartLimits.retryAfterEnd],
    runsPerMinute: [runsPerMinute, ahead, () => count, Math.ceil((since + minute - now) / 1000)],
    tokensPerDay: [
      tokensPerDay,
      0,
      () => usedTokens(database, isCounted, today),
      Math.ceil((today + 1) * StartLimits.secondsPerDay - seconds)
    ]
  } as const
  return StartLimits.names.flatMap((name) => {
    const [limit, ahead, count, retry_after] = used[name]
    if (limit === undefined) return []
    const current = count()
    return current + ahead < limit ? [] : [new LimitReached({ scope, name, used: current, limit, retry_after })]
  })
}

/** Whether one more run may wait. */
const hasPlace = (database: Database, start: StartLimits.LimitedStart): boolean => {
  const waiting = waitingRuns(database)
  const { maxWaiting = 0, maxWaitingOfUser = Number.POSITIVE_INFINITY, user_id } = start
  if (waiting.length >= maxWaiting) return false
  return user_id === null || waiting.map(ofRun).filter(covers(start, "user")).length < maxWaitingOfUser
}

/** The limit that is free last, where the run would exceed several. A run within its limits is counted. */
const take = (database: Database, start: StartLimits.LimitedStart, now: number): LimitReached | "waits" | undefined => {
  const all = start.limits.flatMap((scoped) => reached(database, start, scoped, now))
  const [last] = all.toSorted((one, other) => other.retry_after - one.retry_after)
  if (last !== undefined) {
    const mayWait = all.every(({ isShort }) => isShort) && hasPlace(database, start)
    return mayWait ? "waits" : last
  }
  for (const { runsPerMinute, scope } of start.limits) {
    if (runsPerMinute === undefined) continue
    const key = StartLimits.keyOf(start, scope)
    const { count, since } = startsOf(database, key, now)
    database.starts.set(key, { since, count: count + 1 })
  }
  return undefined
}

/** Whether the run begins, waits, or is refused. */
export const enter = (database: Database, start: StartLimits.LimitedStart | undefined, now: number) =>
  start === undefined ? undefined : take(database, start, now)

/** Gives the runs of a node that wait, the first one first, what room there is now. */
export const admitWaiting = (database: Database, node: string, now: number): ReadonlyArray<Session.Id> =>
  waitingRuns(database).toSorted((one, other) => one.sequence - other.sequence).flatMap((run) => {
    const { output: { run_id, session_id }, waitsFor } = run
    if (run.node !== node || waitsFor === undefined) return []
    if (take(database, { ...waitsFor, maxWaiting: undefined }, now) !== undefined) return []
    database.runs.set(run_id, { ...run, waitsFor: undefined })
    return [session_id as Session.Id]
  })
