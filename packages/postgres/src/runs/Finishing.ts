// Ends runs. Short statements are shared; a heavy one gets an ordinary connection.
import * as Run from "@svc-runtime/domain/Run"
import type { Finished, RunCompletion } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import * as Batched from "../sql/Batched.ts"
import { orUnavailable } from "../sql/orUnavailable.ts"
import * as RowByRow from "../sql/RowByRow.ts"
import { unchecked } from "../sql/rows.ts"
import * as EndJobs from "./EndJobs.ts"
import * as FinishStatement from "./FinishStatement.ts"
import type { LongStatements } from "./longStatements.ts"
import * as RunRows from "./RunRows.ts"

const HeldRow = Schema.Struct({ held: Schema.Boolean })

/** A damaged history must not fail the statement: the run is released when `dequeue` returns it. */
const FinishedRow = Schema.Struct({
  held: Schema.Boolean,
  run_id: Schema.NullOr(Run.Id),
  session_state: Schema.Unknown,
  history: Schema.Unknown
})

/** Larger states and histories are read separately. */
const inlineBytes = 64 * 1024

const turnOf = RowByRow.decode(RunRows.TurnRow)

const nextOf = Effect.fnUntraced(function*({ history, run_id, session_state }: typeof FinishedRow.Type) {
  if (run_id === null) return undefined
  const row = yield* turnOf({ run_id, session_state, history })
  const isWhole = !RowByRow.isRejected(row) && session_state !== null && history !== null
  return { run_id, snapshot: isWhole ? yield* RunRows.shown(row) : undefined }
})

const hasJobs = (encoded: ReadonlyArray<FinishStatement.Encoded>) => encoded.some(({ jobs }) => jobs.jobs.length > 0)
const jobsOf = (encoded: ReadonlyArray<FinishStatement.Encoded>) => EndJobs.parameters(encoded.map(({ jobs }) => jobs))

export interface Options {
  readonly sql: SqlClient.SqlClient
  readonly short: SqlClient.SqlClient
  readonly longStatements: LongStatements
  readonly historyLimit: number
}

export const make = ({ longStatements, historyLimit, short, sql }: Options) => {
  const finishOn = (connections: SqlClient.SqlClient) =>
    SqlSchema.findAll({
      Request: unchecked<ReadonlyArray<FinishStatement.Encoded>>(),
      Result: HeldRow,
      execute: (encoded) =>
        hasJobs(encoded)
          ? connections.unsafe(FinishStatement.withJobs, [...FinishStatement.parameters(encoded), ...jobsOf(encoded)])
          : connections.unsafe(FinishStatement.statement, FinishStatement.parameters(encoded))
    })

  const finishAndDequeueOn = (connections: SqlClient.SqlClient) =>
    SqlSchema.findAll({
      Request: unchecked<ReadonlyArray<FinishStatement.Encoded & { readonly node: string }>>(),
      Result: FinishedRow,
      execute: (encoded) => {
        const parameters = FinishStatement.andDequeueParameters(encoded, { history: historyLimit, inline: inlineBytes })
        return hasJobs(encoded)
          ? connections.unsafe(FinishStatement.withJobsAndDequeue, [...parameters, ...jobsOf(encoded)])
          : connections.unsafe(FinishStatement.andDequeue, parameters)
      }
    })

  const batched = <A extends FinishStatement.Encoded, B extends typeof HeldRow.Type, E>(
    on: (connections: SqlClient.SqlClient) => (encoded: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
  ) => {
    const alone = on(sql)
    const send = Batched.make({
      together: on(short),
      alone: (encoded: A) =>
        Effect.map(longStatements(encoded.ending.run.session_id)(alone([encoded])), ([result]) => result as B),
      bytesOf: ({ bytes }) => bytes,
      groupOf: ({ ending }) => ending.run.run_id
    })
    // The statement before it, whose reply was lost, can still be in progress. It waits for that one, and does not see
    // the end that is stored then.
    return (encoded: A) => Effect.flatMap(send(encoded), (row) => row.held ? Effect.succeed(row) : send(encoded))
  }

  const [finish, finishAndDequeue] = [batched(finishOn), batched(finishAndDequeueOn)]

  return {
    finish: (ending: RunCompletion) =>
      Effect.map(
        orUnavailable(Effect.suspend(() => finish(FinishStatement.encode(ending))), ending),
        ({ held }) => held
      ),
    finishAndDequeue: Effect.fnUntraced(function*(ending: RunCompletion, node: string) {
      const row = yield* finishAndDequeue({ ...FinishStatement.encode(ending), node })
      const finished: Finished = { isHeld: row.held, next: yield* nextOf(row) }
      return finished
    }, orUnavailable)
  }
}
