// Where datasets are kept. A change adds a version. An item has the first version that it is in, and the first later
// one without it.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, type Effect, type Option } from "effect"
import type * as Dataset from "../Dataset.ts"
import type { DatasetChanged, DatasetFull } from "./DatasetErrors.ts"

export interface NewItem {
  readonly id: Dataset.ItemId
  readonly content: Dataset.Content
}

export interface Change {
  readonly put: ReadonlyArray<NewItem>
  readonly remove: ReadonlyArray<string>
  /** The latest version, if the change is about no other one. */
  readonly version: number | undefined
  readonly at: Time.EpochSeconds
  /** Of the items. */
  readonly limit: number
}

export interface Patch {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly at: Time.EpochSeconds
}

export interface DatasetPage {
  readonly datasets: ReadonlyArray<Dataset.Stored>
  readonly total: number
}

export interface ItemPage {
  readonly items: ReadonlyArray<Dataset.Item>
  readonly total: number
}

/** As it is created with this many items. */
export const filled = (dataset: Dataset.Stored, count: number): Dataset.Stored =>
  count === 0 ? dataset : { ...dataset, version: dataset.version + 1, item_count: count }

export class DatasetStore extends Context.Service<DatasetStore, {
  /** Its first version has no items. The given items are its second version: both are stored, or none. */
  readonly create: (
    dataset: Dataset.Stored,
    items?: ReadonlyArray<NewItem>
  ) => Effect.Effect<Dataset.Stored, StorageUnavailable>
  /** The same, if its user may have another one beside the stored ones. None if not. */
  readonly createWithin: (
    dataset: Dataset.Stored,
    items: ReadonlyArray<NewItem>,
    limit: number
  ) => Effect.Effect<Option.Option<Dataset.Stored>, StorageUnavailable>
  readonly find: (
    id: Dataset.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Dataset.Stored>, StorageUnavailable>
  /** Newest first. */
  readonly list: (owner: Owner.Owner, page: Pagination.Request) => Effect.Effect<DatasetPage, StorageUnavailable>
  readonly patch: (
    id: Dataset.Id,
    owner: Owner.Owner,
    patch: Patch
  ) => Effect.Effect<Option.Option<Dataset.Stored>, StorageUnavailable>
  /**
   * With all versions and experiments. Gives the ids of the jobs of experiments that had not ended. None if the owner
   * has no such dataset.
   */
  readonly remove: (
    id: Dataset.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<ReadonlyArray<string>>, StorageUnavailable>
  /** A change without an effect makes no version. None if the owner has no such dataset. */
  readonly change: (
    id: Dataset.Id,
    owner: Owner.Owner,
    change: Change
  ) => Effect.Effect<Option.Option<Dataset.Stored>, DatasetChanged | DatasetFull | StorageUnavailable>
  /** Of a version, in the order in which they were added. */
  readonly items: (
    id: Dataset.Id,
    version: number,
    page: Pagination.Request
  ) => Effect.Effect<ItemPage, ResponseTooLarge | StorageUnavailable>
  /** The ids of all items of a version, in the same order. */
  readonly itemIds: (
    id: Dataset.Id,
    version: number
  ) => Effect.Effect<ReadonlyArray<Dataset.ItemId>, StorageUnavailable>
  /** Some items of a version. One that cannot be read is logged and left out. */
  readonly itemsOf: (
    id: Dataset.Id,
    version: number,
    ids: ReadonlyArray<Dataset.ItemId>
  ) => Effect.Effect<ReadonlyArray<Dataset.Item>, StorageUnavailable>
}>()("@svc-runtime/features/evaluation/datasets/DatasetStore") {}
