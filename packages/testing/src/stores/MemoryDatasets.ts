// `DatasetStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import type * as Dataset from "@svc-runtime/features/evaluation/Dataset"
import { DatasetChanged, exceeded } from "@svc-runtime/features/evaluation/datasets/DatasetErrors"
import type { Change, DatasetStore, NewItem } from "@svc-runtime/features/evaluation/datasets/DatasetStore"
import * as Experiment from "@svc-runtime/features/evaluation/Experiment"
import { Effect, Option } from "effect"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { hasRoomBeside } from "./MemoryEvaluations.ts"
import type { StoredDataset, StoredDatasetItem } from "./StoredEvaluations.ts"

export const isIn = (version: number) => ({ from, until }: StoredDatasetItem): boolean =>
  from <= version && (until === undefined || until > version)

const itemOf = ({ content, from, id }: StoredDatasetItem): Dataset.Item => ({ id, ...content, version: from })

const changed = (
  { dataset, items, lastPlace, sequence }: StoredDataset,
  { at, put, remove }: Change
): StoredDataset => {
  const version = dataset.version + 1
  const ids = new Set<string>([...remove, ...put.map(({ id }) => id)])
  const closed = items.filter((item) => item.until === undefined && ids.has(item.id))
  const places = new Map(closed.map(({ id, place }) => [id, place]))
  const added = put.map(({ content, id }, index): StoredDatasetItem => ({
    id,
    place: places.get(id) ?? lastPlace + index + 1,
    from: version,
    until: undefined,
    content
  }))
  const kept = items.map((item) => closed.includes(item) ? { ...item, until: version } : item)
  const item_count = dataset.item_count - closed.length + added.length
  return closed.length + added.length === 0 ? { sequence, dataset, items, lastPlace } : {
    sequence,
    dataset: { ...dataset, version, item_count, updated_at: at },
    items: [...kept, ...added],
    lastPlace: lastPlace + put.length
  }
}

const twoItems = new StorageUnavailable({ cause: new Error("Two items have one id"), isRejected: true })

export const make = (
  { datasets: all, experiments, next }: MemoryDatabase["Service"],
  responseLimit: number
): DatasetStore["Service"] => {
  const find = (id: Dataset.Id, owner: Owner.Owner) =>
    Option.filter(Option.fromUndefinedOr(all.get(id)), ({ dataset }) => Owner.covers(owner, dataset.user_id))

  const datasetOf = ({ dataset }: StoredDataset) => dataset

  const itemsIn = (id: Dataset.Id, version: number) =>
    (all.get(id)?.items ?? []).filter(isIn(version)).sort((one, other) => one.place - other.place)

  const create = (dataset: Dataset.Stored, put: ReadonlyArray<NewItem> = []) =>
    Effect.suspend(() => {
      if (new Set(put.map(({ id }) => id)).size < put.length) return Effect.fail(twoItems)
      const stored: StoredDataset = { sequence: next(), dataset, items: [], lastPlace: 0 }
      const change = { at: dataset.updated_at, put, remove: [], version: undefined, limit: put.length }
      const made = changed(stored, change)
      all.set(dataset.id, made)
      return Effect.succeed(made.dataset)
    })

  return {
    create,
    createWithin: (dataset, put, limit) =>
      Effect.suspend(() => {
        const users = [...all.values()].map((stored) => stored.dataset.user_id)
        return hasRoomBeside(users, dataset.user_id, limit) ? Effect.asSome(create(dataset, put)) : Effect.succeedNone
      }),
    find: (id, owner) => Effect.sync(() => Option.map(find(id, owner), datasetOf)),
    list: (owner, page) =>
      Effect.sync(() => {
        const found = [...all.values()].filter(({ dataset }) => Owner.covers(owner, dataset.user_id))
          .sort((one, other) => other.sequence - one.sequence)
        return { datasets: Pagination.slice(page, found).map(datasetOf), total: found.length }
      }),
    patch: (id, owner, { at, description, name }) =>
      Effect.sync(() =>
        Option.map(find(id, owner), (stored) => {
          const dataset = {
            ...stored.dataset,
            ...(name === undefined ? {} : { name }),
            ...(description === undefined ? {} : { description }),
            updated_at: at
          }
          all.set(id, { ...stored, dataset })
          return dataset
        })
      ),
    remove: (id, owner) =>
      Effect.sync(() =>
        Option.map(find(id, owner), () => {
          all.delete(id)
          return [...experiments.values()].flatMap(({ experiment: { dataset_id, job_id, status } }) =>
            dataset_id === id && !Experiment.hasEnded(status) ? [job_id] : []
          )
        })
      ),
    change: (id, owner, change) =>
      Effect.suspend((): ReturnType<DatasetStore["Service"]["change"]> => {
        const found = find(id, owner)
        if (Option.isNone(found)) return Effect.succeed(Option.none())
        const { version } = found.value.dataset
        if (change.version !== undefined && change.version !== version) {
          return Effect.fail(new DatasetChanged({ version }))
        }
        const stored = changed(found.value, change)
        const full = exceeded(stored.dataset.item_count, stored.items.length, change.limit)
        if (full !== undefined) return Effect.fail(full)
        all.set(id, stored)
        return Effect.succeedSome(stored.dataset)
      }),
    items: (id, version, page) =>
      Effect.suspend(() => {
        const found = itemsIn(id, version)
        const listed = Pagination.slice(page, found).map(itemOf)
        const bytes = JSON.stringify(listed).length
        return Effect.as(admit("datasetItems", bytes, responseLimit), { items: listed, total: found.length })
      }),
    itemIds: (id, version) => Effect.sync(() => itemsIn(id, version).map((item) => item.id)),
    itemsOf: (id, version, ids) =>
      Effect.sync(() => itemsIn(id, version).filter((item) => ids.includes(item.id)).map(itemOf))
  }
}
