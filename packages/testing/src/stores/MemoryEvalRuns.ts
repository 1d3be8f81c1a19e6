// `EvalRunStore` in memory.
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Sort from "@svc-runtime/domain/Sort"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import * as EvalRun from "@svc-runtime/features/evaluation/EvalRun"
import { isSortable } from "@svc-runtime/features/evaluation/EvalRunStore"
import type { EvalRunFilter, EvalRunStore } from "@svc-runtime/features/evaluation/EvalRunStore"
import { Effect, Option } from "effect"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { hasRoomBeside, orphanedOf } from "./MemoryEvaluations.ts"
import * as MemoryJobs from "./MemoryJobs.ts"
import type { StoredEvalRun } from "./StoredEvaluations.ts"

const matches =
  ({ agent_id, kind, model_id, statuses, team_id, types, workflow_id }: EvalRunFilter) =>
  ({ evalRun }: StoredEvalRun): boolean =>
    (agent_id === undefined || evalRun.agent_id === agent_id) &&
    (team_id === undefined || evalRun.team_id === team_id) &&
    (workflow_id === undefined || evalRun.workflow_id === workflow_id) &&
    (model_id === undefined || evalRun.model_id === model_id) &&
    (kind === undefined || evalRun[`${kind}_id`] !== null) &&
    (types === undefined || types.includes(evalRun.eval_type)) && statuses.includes(evalRun.status)

const compared = (left: string | number | null, right: string | number | null): number => {
  if (left === right) return 0
  // as in PostgreSQL, null is the largest
  if (left === null) return 1
  return right === null || left < right ? -1 : 1
}

const ordered = ({ by, order }: Sort.Sort) => (left: StoredEvalRun, right: StoredEvalRun): number => {
  const ascending = (isSortable(by) ? compared(left.evalRun[by], right.evalRun[by]) : 0) ||
    left.sequence - right.sequence
  return order === "asc" ? ascending : -ascending
}

const bytesOf = ({ evalRun: { eval_data, eval_input } }: StoredEvalRun): number =>
  JSON.stringify(eval_data).length + (eval_input === null ? 0 : JSON.stringify(eval_input).length)

const userOf = ({ evalRun: { request } }: Pick<StoredEvalRun, "evalRun">) => request?.user_id ?? null

export const make = (database: MemoryDatabase["Service"], responseLimit: number): EvalRunStore["Service"] => {
  const { evalRuns: all } = database
  const jobStore = MemoryJobs.make(database)
  const unfinished = (id: string) => {
    const stored = all.get(EvalRun.Id.make(id))
    return stored === undefined || EvalRun.hasEnded(stored.evalRun.status) ? undefined : stored
  }
  const isUnfinished = ({ evalRun: { status } }: StoredEvalRun) => !EvalRun.hasEnded(status)
  const change = (stored: StoredEvalRun, fields: Partial<EvalRun.Stored>, more: Partial<StoredEvalRun> = {}) => {
    const evalRun = { ...stored.evalRun, ...fields }
    all.set(evalRun.id, { ...stored, ...more, evalRun })
    return evalRun
  }
  const fail = (ended: ReadonlyArray<StoredEvalRun>, error: string): number => {
    for (const stored of ended) change(stored, { status: "FAILED", error, request: null }, { results: new Map() })
    return ended.length
  }
  return {
    create: (evalRun, job, limit) =>
      Effect.suspend(() => {
        if (all.has(evalRun.id)) return Effect.succeed(true)
        const others = [...all.values()].filter(isUnfinished).map(userOf)
        if (!hasRoomBeside(others, userOf({ evalRun }), limit)) return Effect.succeed(false)
        all.set(evalRun.id, { sequence: database.next(), evalRun, results: new Map() })
        return Effect.as(jobStore.enqueue({ ...job, caller: userOf({ evalRun }) }), true)
      }),
    find: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(all.get(id)), ({ evalRun }) => evalRun)),
    list: (filter, page, sort) =>
      Effect.suspend(() => {
        const found = [...all.values()].filter(matches(filter)).sort(ordered(sort))
        const listed = Pagination.slice(page, found)
        const bytes = listed.reduce((sum, stored) => sum + bytesOf(stored), 0)
        return Effect.as(admit("evalRuns", bytes, responseLimit), {
          evalRuns: listed.map(({ evalRun }) => evalRun),
          total: found.length
        })
      }),
    rename: (id, name, updated_at) =>
      Effect.sync(() => {
        const stored = all.get(id)
        return stored === undefined ? Option.none() : Option.some(change(stored, { name, updated_at }))
      }),
    remove: (ids) =>
      Effect.sync(() => {
        const busy = ids.flatMap((id) => unfinished(id)?.evalRun.job_id ?? [])
        for (const id of ids) all.delete(EvalRun.Id.make(id))
        return busy
      }),
    begin: (id) =>
      Effect.sync(() => {
        const stored = unfinished(id)
        return stored === undefined ? Option.none() : Option.some(change(stored, { status: "RUNNING" }))
      }),
    results: (id) =>
      Effect.sync(() =>
        [...all.get(id)?.results ?? []].sort(([left], [right]) => left - right).map(([, result]) => result)
      ),
    record: (id, place, result) =>
      Effect.sync(() => {
        const stored = unfinished(id)
        if (stored === undefined) return false
        const results = stored.results.has(place) ? stored.results : new Map([...stored.results, [place, result]])
        change(stored, { runs_done: Math.max(stored.evalRun.runs_done, place + 1) }, { results })
        return true
      }),
    finish: (id, end) =>
      Effect.sync(() => {
        const stored = unfinished(id)
        if (stored === undefined) return false
        change(stored, { ...end, request: null }, { results: new Map() })
        return true
      }),
    failAll: ({ error, user_id }) =>
      Effect.sync(() => {
        const ofUser = [...all.values()].filter((stored) => isUnfinished(stored) && userOf(stored) === user_id)
        return fail(ofUser, error)
      }),
    failOrphaned: ({ before, error }) =>
      Effect.sync(() => {
        const unfinished = [...all.values()].filter(isUnfinished)
        return fail(orphanedOf(database, unfinished, before, ({ evalRun }) => evalRun), error)
      })
  }
}
