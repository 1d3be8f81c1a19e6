// Experiments: an agent, a team or a workflow answers the items of a dataset, and scorers rate the answers.
import * as Experiment from "@svc-runtime/features/evaluation/Experiment"
import { Effect } from "effect"
import { owned } from "./OwnerQuery.ts"
import * as Pages from "./Pages.ts"
import { polls } from "./polls.ts"
import { SvcClient } from "./SvcClient.ts"

const of = (id: string) => ({ params: { experiment_id: Experiment.Id.make(id) }, query: {} })

/** Starts an experiment, which continues without this client. */
export const start = Effect.fn("Experiments.start")(function*(given: typeof Experiment.Create.Encoded) {
  const client = yield* SvcClient
  return (yield* client.experiments.create({ query: {}, payload: given as Experiment.Create })).id
})

export const get = Effect.fn("Experiments.get")(function*(id: string) {
  const client = yield* SvcClient
  return yield* client.experiments.get(of(id))
})

/** Waits until an experiment has ended. One that failed or was cancelled is returned too, with its `status`. */
export const wait = (id: string) =>
  Effect.repeat(get(id), {
    schedule: polls,
    until: ({ status }: Experiment.Experiment) => Experiment.hasEnded(status)
  })

/** Makes an experiment and waits until it has ended. If this is interrupted, the experiment continues. */
export const run = (given: typeof Experiment.Create.Encoded) => Effect.flatMap(start(given), wait)

/** The newest first. */
export const list = (query: { readonly dataset_id?: string; readonly user_id?: string } = {}) =>
  Pages.stream((page) =>
    Effect.flatMap(SvcClient, (client) => client.experiments.list({ query: { ...owned(query), page, limit: 100 } }))
  )

/** The results of items, in the order of the dataset. */
export const items = (id: string) =>
  Pages.stream((page) =>
    Effect.flatMap(SvcClient, (client) => client.experiments.listItems({ ...of(id), query: { page, limit: 100 } }))
  )

const comparison = (base: string, other: string, page: { readonly page: number; readonly limit: number }) =>
  Effect.flatMap(SvcClient, (client) => client.experiments.compare({ query: { ids: `${base},${other}`, ...page } }))

/** How many items are worse, better, the same, or in one of two experiments of a dataset. */
export const compare = Effect.fn("Experiments.compare")(function*(base: string, other: string) {
  const { data: _, meta: __, ...counts } = yield* comparison(base, other, { page: 1, limit: 1 })
  return counts
})

/** The items of two experiments side by side, the largest regression first. */
export const differences = (base: string, other: string) =>
  Pages.stream((page) => comparison(base, other, { page, limit: 1000 }))

/** Ends an experiment and the runs that it waits for. */
export const cancel = Effect.fn("Experiments.cancel")(function*(id: string) {
  const client = yield* SvcClient
  return yield* client.experiments.cancel(of(id))
})

export const remove = Effect.fn("Experiments.remove")(function*(id: string) {
  const client = yield* SvcClient
  yield* client.experiments.remove(of(id))
})
