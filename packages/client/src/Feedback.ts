// Feedback on runs: scores that people and scorers give their answers.
import * as Run from "@svc-runtime/domain/Run"
import * as Given from "@svc-runtime/features/feedback/Feedback"
import { Effect } from "effect"
import { owned } from "./OwnerQuery.ts"
import * as Pages from "./Pages.ts"
import { SvcClient } from "./SvcClient.ts"

export interface Query {
  readonly run_id?: string
  readonly session_id?: string
  readonly agent_id?: string
  readonly team_id?: string
  readonly workflow_id?: string
  readonly key?: string
  readonly source?: Given.Source
  /** Of the runs. */
  readonly user_id?: string
}

/** Replaces what the same user has given the run for the same key. */
export const give = Effect.fn("Feedback.give")(function*(run_id: string, given: typeof Given.Create.Encoded) {
  const client = yield* SvcClient
  const payload = given as Given.Create
  return yield* client.feedback.give({ params: { run_id: Run.Id.make(run_id) }, query: {}, payload })
})

export const ofRun = Effect.fn("Feedback.ofRun")(function*(run_id: string) {
  const client = yield* SvcClient
  return yield* client.feedback.ofRun({ params: { run_id: Run.Id.make(run_id) }, query: {} })
})

/** One entry, by its id. */
export const remove = Effect.fn("Feedback.remove")(function*(id: string) {
  const client = yield* SvcClient
  yield* client.feedback.remove({ params: { feedback_id: Given.Id.make(id) }, query: {} })
})

/** The newest first. */
export const list = (query: Query = {}) =>
  Pages.stream((page) =>
    Effect.flatMap(SvcClient, (client) => client.feedback.list({ query: { ...owned(query), page, limit: 100 } }))
  )
