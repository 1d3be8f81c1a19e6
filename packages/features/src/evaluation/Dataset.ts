// Datasets: items to evaluate components with. A change of the items makes a new version, and the versions before it
// stay as they are.
import { exact, Name, UserId, UserIdInput } from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as ToolTrajectory from "@svc-runtime/domain/scoring/ToolTrajectory"
import { DateTime, EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

export const Id = Schema.String.pipe(Schema.brand("DatasetId"))
export type Id = typeof Id.Type

export const ItemId = Schema.String.pipe(Schema.brand("DatasetItemId"))
export type ItemId = typeof ItemId.Type

/** Items that one change puts or removes. */
export const maxChange = 1000

const Description = Schema.String.check(Schema.isMaxLength(2000), exact)

const ItemIdInput = ItemId.check(Schema.isMinLength(1), Schema.isMaxLength(255), exact)

export const ItemInput = Schema.Struct({
  /** The id of the item that it replaces, or a new id. */
  id: optional(ItemIdInput),
  /** The input of the component: text, or JSON. */
  input: Json.InputValue,
  expected_output: Schema.optionalKey(Json.InputValue),
  expected_tool_calls: optional(Schema.Array(ToolTrajectory.Expected).check(Schema.isMaxLength(100))),
  metadata: optional(Json.Input),
  /** Not read: a list shows items with it. */
  version: optional(Schema.Natural)
}).annotate({ identifier: "DatasetItemInput" })
export type ItemInput = typeof ItemInput.Type

const Items = Schema.Array(ItemInput).check(Schema.isMaxLength(maxChange))

export const Create = Schema.Struct({
  name: Name,
  description: optional(Description),
  items: optional(Items),
  /** Used if the credential names no user. */
  user_id: optional(UserIdInput)
}).annotate({ identifier: "DatasetInput" })
export type Create = typeof Create.Type

export const Patch = Schema.Struct({ name: optional(Name), description: optional(Description) })
  .annotate({ identifier: "DatasetPatch" })
export type Patch = typeof Patch.Type

export const Change = Schema.Struct({
  /** Replaces items of the same ids, and adds the others. */
  put: optional(Items),
  remove: optional(Schema.Array(Schema.String).check(Schema.isMaxLength(maxChange))),
  /** The change is refused if this is not the latest version. */
  version: optional(Schema.Natural)
}).annotate({ identifier: "DatasetChange" })
export type Change = typeof Change.Type

/** The run whose input and answer become an item: by its trace, or by its session. */
export const FromTrace = Schema.Struct({
  trace_id: optional(Schema.String),
  run_id: optional(Schema.String),
  /** The session of the run. */
  session_id: optional(Schema.String),
  id: optional(ItemIdInput),
  /** Expect the tools that the run called. */
  with_tool_calls: optional(Schema.Boolean),
  metadata: optional(Json.Input)
}).annotate({ identifier: "DatasetItemFromTrace" })
export type FromTrace = typeof FromTrace.Type

/** Without its id. */
export const Content = Schema.Struct({
  input: Schema.Json,
  expected_output: Schema.Json,
  expected_tool_calls: Schema.NullOr(Schema.Array(ToolTrajectory.Expected)),
  metadata: Schema.NullOr(Json.Object)
})
export type Content = typeof Content.Type

export const Item = Schema.Struct({
  id: ItemId,
  ...Content.fields,
  /** The first version with it. */
  version: Schema.Natural
}).annotate({ identifier: "DatasetItem" })
export type Item = typeof Item.Type

const described = {
  id: Id,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(UserId),
  /** The latest one. */
  version: Schema.Natural,
  item_count: Schema.Natural
}

/** In a database. */
export const Stored = Schema.Struct({ ...described, created_at: EpochSeconds, updated_at: EpochSeconds })
export type Stored = typeof Stored.Type

export const Dataset = Schema.Struct({
  ...described,
  /** The code of the service declares it, so requests do not change it. */
  declared: Schema.Boolean,
  created_at: DateTime,
  updated_at: DateTime
})
  .annotate({ identifier: "Dataset" })
export type Dataset = typeof Dataset.Type

/** The response to a change. */
export const Changed = Schema.Struct({
  ...Dataset.fields,
  /** The ids of the items that were put, in their order. */
  item_ids: Schema.Array(ItemId)
}).annotate({ identifier: "ChangedDataset" })

export const toDataset = ({ created_at, updated_at, ...shown }: Stored, declared = false): Dataset => ({
  ...shown,
  declared,
  created_at: toDateTime(created_at),
  updated_at: toDateTime(updated_at)
})

export const contentOf = (
  { expected_output = null, expected_tool_calls = null, input, metadata = null }: Omit<ItemInput, "id" | "version">
): Content => ({ input, expected_output, expected_tool_calls, metadata })
