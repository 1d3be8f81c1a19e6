// `MetricsStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import * as Usage from "@svc-runtime/domain/Usage"
import * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"
import type { MetricsStore } from "@svc-runtime/features/metrics/MetricsStore"
import { Effect, Option } from "effect"
import type { MemoryDatabase, StoredRun } from "./MemoryDatabase.ts"

type Sessions = ReadonlyArray<Session.Session>

const isIn = (day: DayMetrics.Day, { from, to }: DayMetrics.Range): boolean =>
  (from === undefined || day >= from) && (to === undefined || day <= to)

const modelsOf = (runs: ReadonlyArray<StoredRun>): ReadonlyArray<DayMetrics.ModelRuns> => {
  const found = new Map<string, DayMetrics.ModelRuns>()
  for (const { output: { model, model_provider = "" } } of runs) {
    if (model === undefined) continue
    const key = JSON.stringify([model, model_provider])
    found.set(key, { model_id: model, model_provider, count: (found.get(key)?.count ?? 0) + 1 })
  }
  return [...found.values()].sort((one, other) =>
    other.count - one.count || (one.model_id < other.model_id ? -1 : one.model_id > other.model_id ? 1 : 0) ||
    (one.model_provider < other.model_provider ? -1 : 1)
  )
}

export const make = (database: MemoryDatabase["Service"]): MetricsStore["Service"] => {
  const { changedDays, days, runs, runsOf, sessions } = database

  const figuresOf = (found: Sessions): DayMetrics.Figures => {
    const runsIn = (some: Sessions) =>
      some.flatMap(({ session_id }) => runsOf.get(session_id) ?? []).flatMap((id) => runs.get(id) ?? [])
    const ofType = (type: Session.Session["session_type"]) => found.filter(({ session_type }) => session_type === type)
    const [agents, teams, workflows] = [ofType("agent"), ofType("team"), ofType("workflow")]
    const { cost: _, ...tokens } = found.reduce(
      (sum: Usage.Counters, { session_metrics }) => Usage.add(sum, session_metrics ?? {}),
      {}
    )
    return {
      agent_runs_count: runsIn(agents).length,
      agent_sessions_count: agents.length,
      team_runs_count: runsIn(teams).length,
      team_sessions_count: teams.length,
      workflow_runs_count: runsIn(workflows).length,
      workflow_sessions_count: workflows.length,
      users_count: new Set(found.flatMap(({ user_id }) => user_id === null || user_id === "" ? [] : [user_id])).size,
      token_metrics: { ...Usage.zero, ...tokens },
      model_metrics: modelsOf(runsIn(found))
    }
  }

  const byDay = (owner: Owner.Owner, range: DayMetrics.Range): Map<DayMetrics.Day, Sessions> =>
    Map.groupBy(
      [...sessions.values()].filter(({ isEvaluation }) => isEvaluation !== true).map(({ session }) => session)
        .filter((session) => Owner.coversIn(owner, session) && isIn(DayMetrics.dayOf(session.created_at), range)),
      ({ created_at }) => DayMetrics.dayOf(created_at)
    )

  return {
    list: (range) =>
      Effect.sync(() => {
        const all = [...days.values()]
        const listed = all.filter(({ day }) => isIn(day, range)).sort((one, other) => one.day - other.day)
        const updated_at = listed.length === 0 ? null : Math.max(...all.map(({ updated_at }) => updated_at))
        return { days: listed, updated_at }
      }),
    compute: (owner, range) =>
      Effect.sync(() =>
        [...byDay(owner, range)].sort(([one], [other]) => one - other)
          .map(([day, found]) => ({ day, ...figuresOf(found) }))
      ),
    outdated: (today) =>
      Effect.sync(() => {
        const newest = [...days.values()].sort((one, other) => other.day - one.day)[0]
        const isOver = newest !== undefined && newest.day < DayMetrics.dayOf(newest.updated_at)
        const from = newest === undefined ? undefined : newest.day + (isOver ? 1 : 0)
        const found = [...byDay(Owner.anyone, { from, to: today }).keys()]
        return [...new Set([...changedDays, ...found])].filter((day) => day <= today).sort((one, other) => one - other)
      }),
    refresh: ({ at, day, id }) =>
      Effect.sync(() => {
        changedDays.delete(day)
        const found = byDay(Owner.anyone, { from: day, to: day }).get(day)
        if (found === undefined) {
          days.delete(day)
          return Option.none()
        }
        const before = days.get(day)
        const computed: DayMetrics.DayMetrics = {
          id: before?.id ?? id,
          day,
          ...figuresOf(found),
          created_at: before?.created_at ?? at,
          updated_at: at
        }
        days.set(day, computed)
        return Option.some(computed)
      })
  }
}
