// The option `onlineScoring` of an agent, and the background job after a run of the sample. The job is stored with the
// end of the run, and its handler is in `evaluation`.
import * as Run from "@svc/domain/Run"
import * as RunOption from "@svc/domain/RunOption"
import * as AnyScorer from "@svc/domain/scoring/AnyScorer"
import * as Scorer from "@svc/domain/scoring/Scorer"
import * as Session from "@svc/domain/Session"
import { Clock, Effect, Random, Result, Schema } from "effect"
import * as JobKind from "../../jobs/JobKind.ts"
import * as Jobs from "../../jobs/Jobs.ts"
import * as JobsAfterRun from "../../JobsAfterRun.ts"
import type { AgentCommand } from "../AgentCommand.ts"

export interface ScoringOptions {
  /** They rate the answer alone: nothing is expected of it. */
  readonly scorers: ReadonlyArray<AnyScorer.AnyScorer>
  /** The share of runs that are rated. Default: 0.1. */
  readonly sampleRate?: number | undefined
  /** How many runs a node has rated in a day at most. Default: 1,000. */
  readonly maxPerDay?: number | undefined
}

export interface ScoringSettings {
  readonly scorers: ReadonlyArray<AnyScorer.AnyScorer>
  readonly sampleRate: number
  /** False if as many runs of this day were taken as the limit. */
  readonly take: (milliseconds: number) => boolean
}

const decode = Schema.decodeUnknownResult(Schema.Array(AnyScorer.AnyScorer))

const budget = (maxPerDay: number) => {
  let [day, count] = [0, 0]
  return (milliseconds: number): boolean => {
    const today = Math.floor(milliseconds / 86_400_000)
    if (today !== day) [day, count] = [today, 0]
    return count < maxPerDay && ++count > 0
  }
}

export const settings = (owner: string, options: ScoringOptions | undefined): ScoringSettings | undefined => {
  if (options === undefined) return undefined
  const { maxPerDay = 1000, sampleRate = 0.1, scorers } = options
  const decoded = decode(scorers)
  if (Result.isFailure(decoded)) throw new Error(`${owner}: onlineScoring.scorers: ${decoded.failure.message}`)
  const unusable = scorers.find((scorer) => AnyScorer.missing(scorer, {}) !== undefined)
  if (unusable !== undefined) {
    throw new Error(`${owner}: the scorer '${Scorer.nameOf(unusable)}' of onlineScoring needs an expected output`)
  }
  const twice = AnyScorer.duplicateName(scorers)
  if (twice !== undefined) throw new Error(`${owner}: two scorers of onlineScoring have the name '${twice}'`)
  if (!(sampleRate >= 0 && sampleRate <= 1)) throw new Error(`${owner}: onlineScoring.sampleRate is not from 0 to 1`)
  return { scorers, sampleRate, take: budget(maxPerDay) }
}

export const Payload = Schema.Struct({
  run_id: Run.Id,
  session_id: Session.Id,
  scorers: Schema.Array(AnyScorer.AnyScorer)
})
export type Payload = typeof Payload.Type

export const shape = {
  name: "online_scoring",
  payload: Payload,
  maxAttempts: 3,
  timeout: "10 minutes",
  retryDelay: "5 seconds"
} as const

/** Without its handler, for enqueueing. */
const enqueued = JobKind.make({ ...shape, handle: () => Effect.void })

/** Of a root run that has completed. Runs of evaluations are rated by their evaluation. */
export const after = Effect.fnUntraced(function*(
  command: AgentCommand
): Effect.fn.Return<JobsAfterRun.JobsAfterRun> {
  const { agent: { onlineScoring }, run_id, session_id, user_id } = command
  if (onlineScoring === undefined || RunOption.isEvaluation(command)) return []
  if ((yield* Random.next) >= onlineScoring.sampleRate) return []
  if (!onlineScoring.take(yield* Clock.currentTimeMillis)) return []
  const payload = { run_id, session_id, scorers: onlineScoring.scorers }
  return yield* Jobs.newJob(enqueued, payload, { key: run_id, user_id, session_id }).pipe(
    Effect.map((job) => [{ ...job, id: JobsAfterRun.idOf(shape.name, run_id) }]),
    Effect.catchTag(
      "JobInvalid",
      (error) => Effect.as(Effect.logWarning("A run is not rated after its end", error), [])
    )
  )
})
