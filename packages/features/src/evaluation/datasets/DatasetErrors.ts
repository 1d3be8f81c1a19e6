// Errors of changes of datasets.
import { Schema } from "effect"

/** It would have more items than the limit, in its latest version or in all versions together. */
export class DatasetFull extends Schema.TaggedError<DatasetFull>()("DatasetFull", {
  limit: Schema.Natural,
  isHistory: Schema.Boolean
}) {
  override get message() {
    return this.isHistory
      ? `The versions of a dataset have at most ${this.limit} items together (10 × MAX_DATASET_ITEMS). Make a new dataset`
      : `A dataset has at most ${this.limit} items (MAX_DATASET_ITEMS)`
  }
}

/** The change is about another version than the latest one. */
export class DatasetChanged extends Schema.TaggedError<DatasetChanged>()("DatasetChanged", {
  version: Schema.Natural
}) {
  override get message() {
    return `The latest version of the dataset is ${this.version}`
  }
}

/** Rows of all versions together, as a multiple of the items of the latest one. */
export const historyFactor = 10

export const exceeded = (items: number, rows: number, limit: number): DatasetFull | undefined => {
  if (items > limit) return new DatasetFull({ limit, isHistory: false })
  return rows > historyFactor * limit ? new DatasetFull({ limit: historyFactor * limit, isHistory: true }) : undefined
}
