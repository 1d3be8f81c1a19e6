// `RolloutStore` in memory.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Component from "@svc-runtime/domain/Component"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Session from "@svc-runtime/domain/Session"
import { maxScore } from "@svc-runtime/features/feedback/Feedback"
import type * as Rollout from "@svc-runtime/features/rollouts/Rollout"
import { maxOpen, type RolloutStore, type RunsOfVersions } from "@svc-runtime/features/rollouts/RolloutStore"
import type * as VersionFigures from "@svc-runtime/features/rollouts/VersionFigures"
import { Effect, Option, Predicate } from "effect"
import type { MemoryDatabase, StoredRun } from "./MemoryDatabase.ts"

/** One that another run replaces counts as it ended. */
const asEnded = (run: StoredRun): StoredRun => ({
  ...run,
  output: { ...run.output, status: run.replacedStatus ?? run.output.status }
})

const hasEnded = ({ output: { status } }: StoredRun): boolean =>
  status === "COMPLETED" || status === "ERROR" || status === "CANCELLED"

const percentile = (sorted: ReadonlyArray<number>, part: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const figuresOf = (version: number, runs: ReadonlyArray<StoredRun>): VersionFigures.Figures => {
  const withStatus = (status: string) => runs.filter(({ output }) => output.status === status).length
  const metrics = runs.map(({ output }) => AnyRun.usageOf(output))
  const timed = runs.filter(({ output }) => output.status !== "CANCELLED").map(({ output }) => AnyRun.usageOf(output))
  const durations = timed.flatMap(({ duration }) => duration === undefined ? [] : [Math.round(duration * 1000)])
    .sort((one, other) => one - other)
  const costs = metrics.flatMap(({ cost }) => cost ?? [])
  return {
    version,
    completed: withStatus("COMPLETED"),
    failed: withStatus("ERROR"),
    cancelled: withStatus("CANCELLED"),
    timed: durations.length,
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    input_tokens: sum(metrics.map(({ input_tokens = 0 }) => input_tokens)),
    output_tokens: sum(metrics.map(({ output_tokens = 0 }) => output_tokens)),
    total_tokens: sum(metrics.map(({ total_tokens = 0 }) => total_tokens)),
    priced: costs.length,
    cost: sum(costs)
  }
}

const valueOf = (score: number | boolean | string): ReadonlyArray<number> =>
  Predicate.isString(score) ? [] : [Math.min(maxScore, Math.max(-maxScore, Number(score)))]

export const make = (
  { feedback, runs, sessions }: MemoryDatabase["Service"]
): RolloutStore["Service"] => {
  const all = new Map<Rollout.Id, Rollout.Stored>()
  const open = () => [...all.values()].filter(({ state }) => state !== "ended")
  const newest = (component_id: Component.Id) =>
    [...all.values()].filter((rollout) => rollout.component_id === component_id).reverse()

  const byVersion = ({ component, owner, since, until }: RunsOfVersions) => {
    const found = [...runs.values()].map(asEnded).flatMap((run) => {
      const session = sessions.get(Session.Id.make(run.output.session_id))
      const at = run.updatedAt ?? 0
      const isWanted = run.kind === component.kind && run.component_id === component.id && hasEnded(run) &&
        at >= since && at < until && (run.output.parent_run_id ?? undefined) === undefined &&
        session !== undefined && session.isEvaluation !== true && Owner.coversIn(owner, session.session)
      return isWanted && run.component_version !== undefined ? [{ run, version: run.component_version }] : []
    })
    return [...Map.groupBy(found, ({ version }) => version)].sort(([one], [other]) => one - other)
      .map(([version, found]) => ({ version, runs: found.map(({ run }) => run) }))
  }

  return {
    open: Effect.sync(open),
    latest: (component_id) => Effect.sync(() => Option.fromUndefinedOr(newest(component_id)[0])),
    list: (component_id, page) =>
      Effect.sync(() => {
        const found = newest(component_id)
        return { rollouts: Pagination.slice(page, found), total: found.length }
      }),
    create: (rollout) =>
      Effect.sync(() => {
        if (open().some(({ component_id }) => component_id === rollout.component_id)) return "taken"
        if (open().length >= maxOpen) return "full"
        all.set(rollout.id, rollout)
        return "created"
      }),
    replace: (rollout) =>
      Effect.sync(() => {
        if (all.get(rollout.id)?.revision !== rollout.revision - 1) return false
        all.set(rollout.id, rollout)
        return true
      }),
    figures: (wanted) =>
      Effect.sync(() => ({
        figures: byVersion(wanted).map(({ runs, version }) => figuresOf(version, runs)),
        isComplete: true
      })),
    scores: (wanted) =>
      Effect.sync(() =>
        byVersion(wanted).flatMap(({ runs, version }) => {
          const ids = new Set<string>(runs.map(({ output }) => output.run_id))
          const given = [...feedback.values()].map((stored) => stored.feedback).filter(({ run_id }) => ids.has(run_id))
          return [...Map.groupBy(given, ({ key, source }) => JSON.stringify([key, source])).values()].flatMap(
            (same) => {
              const [first] = same
              if (first === undefined) return []
              const values = same.flatMap(({ score }) => valueOf(score))
              const rated = new Set(same.map(({ run_id }) => run_id)).size
              const mean = values.length === 0 ? null : sum(values) / values.length
              return [{ version, key: first.key, source: first.source, count: same.length, runs: rated, mean }]
            }
          )
        })
      )
  }
}
