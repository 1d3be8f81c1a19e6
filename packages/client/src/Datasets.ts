// Datasets: items to evaluate components with. Each change of the items makes a new version.
import * as Dataset from "@svc-runtime/features/evaluation/Dataset"
import { Effect } from "effect"
import { owned } from "./OwnerQuery.ts"
import * as Pages from "./Pages.ts"
import { SvcClient } from "./SvcClient.ts"

const of = (id: string) => ({ params: { dataset_id: Dataset.Id.make(id) }, query: {} })

export const create = Effect.fn("Datasets.create")(function*(given: typeof Dataset.Create.Encoded) {
  const client = yield* SvcClient
  return yield* client.datasets.create({ query: {}, payload: given as Dataset.Create })
})

export const get = Effect.fn("Datasets.get")(function*(id: string) {
  const client = yield* SvcClient
  return yield* client.datasets.get(of(id))
})

export const list = (query: { readonly user_id?: string } = {}) =>
  Pages.stream((page) =>
    Effect.flatMap(SvcClient, (client) => client.datasets.list({ query: { ...owned(query), page, limit: 100 } }))
  )

/** The items of a version; of the latest one, when it is left out. */
export const items = (id: string, version: { readonly version?: number } = {}) =>
  Pages.stream((page) =>
    Effect.flatMap(
      SvcClient,
      (client) => client.datasets.listItems({ ...of(id), query: { ...version, page, limit: 100 } })
    )
  )

/** Makes a new version. With `version` a change is refused if another one came before it. */
export const change = Effect.fn("Datasets.change")(function*(id: string, given: typeof Dataset.Change.Encoded) {
  const client = yield* SvcClient
  return yield* client.datasets.changeItems({ ...of(id), payload: given as Dataset.Change })
})

/** Adds the input and the answer of a run, and with `with_tool_calls` its calls. */
export const addRun = Effect.fn("Datasets.addRun")(function*(id: string, given: typeof Dataset.FromTrace.Encoded) {
  const client = yield* SvcClient
  return yield* client.datasets.addFromTrace({ ...of(id), payload: given as Dataset.FromTrace })
})

/** Changes the name and the description, without a new version. */
export const update = Effect.fn("Datasets.update")(function*(id: string, payload: Dataset.Patch) {
  const client = yield* SvcClient
  return yield* client.datasets.update({ ...of(id), payload })
})

/** Deletes all versions. */
export const remove = Effect.fn("Datasets.remove")(function*(id: string) {
  const client = yield* SvcClient
  yield* client.datasets.remove(of(id))
})
