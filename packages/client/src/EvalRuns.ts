// Evaluation runs: how well an agent or a team of the service answers.
import * as EvalRun from "@svc-runtime/features/evaluation/EvalRun"
import { Effect } from "effect"
import * as Pages from "./Pages.ts"
import { polls } from "./polls.ts"
import { SvcClient } from "./SvcClient.ts"

export type Request = Omit<typeof EvalRun.Create.Type, "background">

export interface Query {
  readonly agent_id?: string
  readonly team_id?: string
  readonly workflow_id?: string
  readonly model_id?: string
  readonly eval_types?: ReadonlyArray<EvalRun.Type>
  /** Default: `COMPLETED`. */
  readonly status?: ReadonlyArray<EvalRun.Status>
}

/** Starts an evaluation, which continues without this client. */
export const start = Effect.fn("EvalRuns.start")(function*(request: Request) {
  const client = yield* SvcClient
  return (yield* client.evalRuns.create({ query: {}, payload: { ...request, background: true } })).id
})

export const get = Effect.fn("EvalRuns.get")(function*(id: string) {
  const client = yield* SvcClient
  return yield* client.evalRuns.get({ params: { eval_run_id: EvalRun.Id.make(id) }, query: {} })
})

/** Waits until an evaluation has ended. One that failed or was cancelled is returned too, with its `status`. */
export const wait = (id: string) =>
  Effect.repeat(get(id), { schedule: polls, until: ({ status }: EvalRun.EvalRun) => EvalRun.hasEnded(status) })

/** Makes an evaluation and waits until it has ended. If this is interrupted, the evaluation continues. */
export const run = (request: Request) => Effect.flatMap(start(request), wait)

const joined = <N extends string>(name: N, values: ReadonlyArray<string> | undefined) =>
  values === undefined ? {} : { [name]: values.join(",") }

/** The newest first. */
export const list = ({ eval_types, status, ...query }: Query = {}) =>
  Pages.stream((page) =>
    Effect.flatMap(SvcClient, (client) =>
      client.evalRuns.list({
        query: {
          ...query,
          ...joined("eval_types", eval_types),
          ...joined("status", status),
          sort_by: "created_at",
          sort_order: "desc",
          page,
          limit: 100
        }
      }))
  )

export const rename = Effect.fn("EvalRuns.rename")(function*(id: string, name: string) {
  const client = yield* SvcClient
  return yield* client.evalRuns.rename({ params: { eval_run_id: EvalRun.Id.make(id) }, query: {}, payload: { name } })
})

/** Ends an evaluation and the run that it waits for. */
export const cancel = Effect.fn("EvalRuns.cancel")(function*(id: string) {
  const client = yield* SvcClient
  return yield* client.evalRuns.cancel({ params: { eval_run_id: EvalRun.Id.make(id) }, query: {} })
})

/** Deletes evaluations. Unfinished ones are ended first. Unknown ids are ignored. */
export const remove = Effect.fn("EvalRuns.remove")(function*(ids: ReadonlyArray<string>) {
  const client = yield* SvcClient
  yield* client.evalRuns.removeMany({ query: {}, payload: { eval_run_ids: ids } })
})
