// The interface of the types of evaluations: a number of runs, a result for each, and data computed from all results.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Judgement from "@svc-runtime/domain/scoring/Judgement"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { type Effect, Schema } from "effect"
import type * as EvalRun from "../EvalRun.ts"
import type { Outcome } from "../EvaluatedRun.ts"

/** Ends the evaluation as `FAILED`, without data. */
export class EvaluationFailed extends Schema.TaggedError<EvaluationFailed>()("EvaluationFailed", {
  message: Schema.String
}) {}

export interface Environment {
  readonly request: EvalRun.Request
  /** From 0. */
  readonly place: number
  /** `isTimed`: a run that was started before a crash does not count. */
  readonly run: (isTimed?: boolean) => Effect.Effect<Outcome, StorageUnavailable>
  /** Bytes that the process has in use. */
  readonly usedMemory: () => number
  readonly judge: (question: Judgement.Question, output: AnyRun.Output) => Effect.Effect<Judgement.Verdict>
}

export interface EvaluationType {
  /** How many runs it needs. */
  readonly total: (request: EvalRun.Request) => number
  readonly step: (environment: Environment) => Effect.Effect<Json.Object, EvaluationFailed | StorageUnavailable>
  readonly data: (results: ReadonlyArray<Json.Object>, request: EvalRun.Request) => Json.Object
  /** The part of the request that is stored. */
  readonly input: (request: EvalRun.Request) => Json.Object
}

/** The output of the run, for types whose runs must complete. */
export const mustComplete = (outcome: Outcome): AnyRun.Output | EvaluationFailed =>
  outcome._tag === "Completed" ? outcome.output : new EvaluationFailed({ message: outcome.reason })

export const isNumber = (value: Json.Value | undefined): value is number => typeof value === "number"
