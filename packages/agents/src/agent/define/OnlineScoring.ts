// The option `onlineScoring` of a component, and the background job after a run of the sample. The job is stored with
// the end of the run, and its handler is in `evaluation`.
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as AnyScorer from "@svc-runtime/domain/scoring/AnyScorer"
import * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import * as Session from "@svc-runtime/domain/Session"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Effect, Random, Result, Schema } from "effect"

type OfType<Type extends AnyScorer.AnyScorer["type"]> = Extract<AnyScorer.AnyScorer, { readonly type: Type }>

/** A scorer that rates the answer alone: nothing is expected of it. */
export type OnlineScorer =
  | (OfType<"contains"> & { readonly texts: ReadonlyArray<string> })
  | (OfType<"judge"> & { readonly criteria: string })
  | OfType<"json_schema">

export interface ScoringOptions {
  /** Scorers that rate an answer alone: `contains` with texts, `judge` with criteria, `json_schema`. */
  readonly scorers: ReadonlyArray<OnlineScorer>
  /** The share of runs that are rated. Default: 0.1. */
  readonly sampleRate?: number | undefined
  /** How many runs are rated in a day (UTC) at most, on all nodes together. Default: 1,000. */
  readonly maxPerDay?: number | undefined
}

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof ScoringOptions> = { scorers: "list", sampleRate: "any", maxPerDay: "any" }

export interface ScoringSettings {
  readonly scorers: ReadonlyArray<AnyScorer.AnyScorer>
  readonly sampleRate: number
  readonly maxPerDay: number
}

const decode = Schema.decodeUnknownResult(Schema.Array(AnyScorer.AnyScorer))

/** What a scorer needs that a live run does not have. */
const lackOf = ({ type }: AnyScorer.AnyScorer): string => {
  if (type === "contains") return "needs 'texts'"
  if (type === "judge") return "needs 'criteria'"
  return "compares with what an item expects, which a live run does not have"
}

export const settings = (owner: string, options: ScoringOptions | undefined): ScoringSettings | undefined => {
  if (options === undefined) return undefined
  const { maxPerDay = 1000, sampleRate = 0.1, scorers } = options
  const decoded = decode(scorers)
  if (Result.isFailure(decoded)) throw new Mistake(`${owner}: onlineScoring.scorers: ${decoded.failure.message}`)
  // authors of JavaScript can give all scorers
  const unusable = decoded.success.find((scorer) => AnyScorer.missing(scorer, {}) !== undefined)
  if (unusable !== undefined) {
    throw new Mistake(`${owner}: the scorer '${Scorer.nameOf(unusable)}' of onlineScoring ${lackOf(unusable)}`)
  }
  const twice = AnyScorer.duplicateName(scorers)
  if (twice !== undefined) throw new Mistake(`${owner}: two scorers of onlineScoring have the name '${twice}'`)
  if (!(sampleRate >= 0 && sampleRate <= 1)) throw new Mistake(`${owner}: onlineScoring.sampleRate is not from 0 to 1`)
  return { scorers, sampleRate, maxPerDay: Validate.wholeNumber(owner, "onlineScoring.maxPerDay", 0, maxPerDay) }
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

const enqueued = JobKind.withoutHandler(shape)

type Ended = Pick<RunCommand, "evaluation" | "run_id" | "session_id" | "user_id">

/** Of a root run that has completed. Runs of evaluations are rated by their evaluation. */
export const after = Effect.fnUntraced(function*(
  run: Ended,
  options: ScoringSettings | undefined
): Effect.fn.Return<JobsAfterRun.JobsAfterRun> {
  if (options === undefined || options.maxPerDay === 0 || RunOption.isEvaluation(run)) return []
  if ((yield* Random.next) >= options.sampleRate) return []
  const { run_id, session_id, user_id } = run
  const payload = { run_id, session_id, scorers: options.scorers }
  return yield* Jobs.newJob(enqueued, payload, { key: run_id, user_id, session_id }).pipe(
    Effect.map((job) => [{ ...job, id: JobsAfterRun.idOf(shape.name, run_id), perDay: options.maxPerDay }]),
    Effect.catchTag(
      "JobInvalid",
      (error) => Effect.as(Effect.logWarning("A run is not rated after its end", error), [])
    )
  )
})
