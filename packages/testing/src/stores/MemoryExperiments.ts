// `ExperimentStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import type * as Dataset from "@svc-runtime/features/evaluation/Dataset"
import * as Experiment from "@svc-runtime/features/evaluation/Experiment"
import type { ExperimentStore } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"
import * as Summary from "@svc-runtime/features/evaluation/experiments/Summary"
import { Effect, Option } from "effect"
import * as Comparison from "./Comparison.ts"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { isIn } from "./MemoryDatasets.ts"
import { hasRoomBeside, orphanedOf } from "./MemoryEvaluations.ts"
import * as MemoryJobs from "./MemoryJobs.ts"
import type { StoredExperiment } from "./StoredEvaluations.ts"

const isUnfinished = ({ experiment }: StoredExperiment) => !Experiment.hasEnded(experiment.status)

const itemsOf = ({ items }: StoredExperiment) =>
  [...items].sort(([one], [other]) => one - other).map(([, item]) => item)

export const make = (database: MemoryDatabase["Service"], responseLimit: number): ExperimentStore["Service"] => {
  const { datasets, experiments, next } = database
  const jobStore = MemoryJobs.make(database)

  /** An experiment is removed with its dataset. */
  const present = () => [...experiments.values()].filter(({ experiment }) => datasets.has(experiment.dataset_id))
  const get = (id: Experiment.Id) => present().find(({ experiment }) => experiment.id === id)
  const unfinished = (id: Experiment.Id) => [get(id)].find((stored) => stored !== undefined && isUnfinished(stored))
  const all = (id: Experiment.Id) =>
    Option.match(Option.fromUndefinedOr(get(id)), { onNone: () => [], onSome: itemsOf })

  const contentsOf = (id: Experiment.Id) => {
    const experiment = get(id)?.experiment
    if (experiment === undefined) return new Map<Dataset.ItemId, string>()
    const items = datasets.get(experiment.dataset_id)?.items.filter(isIn(experiment.dataset_version)) ?? []
    return new Map(items.map(({ content: { metadata: _, ...compared }, id }) => [id, JSON.stringify(compared)]))
  }

  /** Of two experiments with versions of a dataset: the items that both versions have, and that differ. */
  const changedItems = (base: Experiment.Id, other: Experiment.Id) => {
    const after = contentsOf(other)
    const both = [...contentsOf(base)].filter(([id]) => after.has(id))
    return new Set(both.flatMap(([id, content]) => content === after.get(id) ? [] : [id]))
  }

  const change = (stored: StoredExperiment, fields: Partial<Experiment.Stored>) => {
    const experiment = { ...stored.experiment, ...fields }
    experiments.set(experiment.id, { ...stored, experiment })
    return experiment
  }

  const find = (id: Experiment.Id, owner: Owner.Owner) =>
    Option.fromUndefinedOr(get(id)).pipe(
      Option.map(({ experiment }) => experiment),
      Option.filter(({ user_id }) => Owner.covers(owner, user_id))
    )

  return {
    create: ({ component_versions, experiment }, job, limit) =>
      Effect.suspend(() => {
        if (experiments.has(experiment.id)) return Effect.succeed(true)
        const others = present().filter(isUnfinished).map(({ experiment }) => experiment.user_id)
        if (!hasRoomBeside(others, experiment.user_id, limit)) return Effect.succeed(false)
        experiments.set(experiment.id, { sequence: next(), component_versions, experiment, items: new Map() })
        return Effect.as(jobStore.enqueue({ ...job, caller: experiment.user_id }), true)
      }),
    find: (id, owner) => Effect.sync(() => find(id, owner)),
    list: ({ dataset_id, owner }, page) =>
      Effect.sync(() => {
        const found = present().filter(({ experiment }) =>
          Owner.covers(owner, experiment.user_id) && (dataset_id === undefined || experiment.dataset_id === dataset_id)
        ).sort((one, other) => other.sequence - one.sequence)
        return { experiments: Pagination.slice(page, found).map(({ experiment }) => experiment), total: found.length }
      }),
    remove: (id, owner) => Effect.sync(() => Option.isSome(find(id, owner)) && experiments.delete(id)),
    begin: (id) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(unfinished(id)), (stored) => ({
          experiment: change(stored, { status: "RUNNING" }),
          ...(stored.component_versions === undefined ? {} : { component_versions: stored.component_versions })
        }))
      ),
    record: (id, place, item) =>
      Effect.sync(() => {
        const stored = unfinished(id)
        if (stored === undefined) return false
        if (!stored.items.has(place)) stored.items.set(place, item)
        change(stored, { items_done: stored.items.size })
        return true
      }),
    recorded: (id) => Effect.sync(() => new Set(all(id).map(({ item_id }) => item_id))),
    summary: (id) => Effect.sync(() => Summary.of(all(id))),
    compare: (base, other, page) =>
      Effect.sync(() => {
        const { counts, differences } = Comparison.of(all(base), all(other), changedItems(base, other))
        return { counts, differences: Pagination.slice(page, differences) }
      }),
    items: (id, page, item) =>
      Effect.suspend(() => {
        const found = all(id).filter(({ item_id }) => item_id === (item ?? item_id))
        const items = Pagination.slice(page, found)
        const bytes = JSON.stringify(items).length
        return Effect.as(admit("experimentItems", bytes, responseLimit), { items, total: found.length })
      }),
    finish: (id, end) =>
      Effect.sync(() => {
        const stored = unfinished(id)
        if (stored !== undefined) {
          change(stored, {
            ...end,
            ...(end.status === "COMPLETED" ? { items_done: stored.experiment.items_total } : {})
          })
        }
        return stored !== undefined
      }),
    failAll: ({ at, error, user_id }) =>
      Effect.sync(() => {
        const ofUser = present().filter((stored) => isUnfinished(stored) && stored.experiment.user_id === user_id)
        for (const stored of ofUser) change(stored, { status: "FAILED", error, updated_at: at })
        return ofUser.length
      }),
    failOrphaned: ({ before, error }) =>
      Effect.sync(() => {
        const orphaned = orphanedOf(database, present().filter(isUnfinished), before, ({ experiment }) => experiment)
        for (const stored of orphaned) change(stored, { status: "FAILED", error, updated_at: before })
        return orphaned.length
      })
  }
}
