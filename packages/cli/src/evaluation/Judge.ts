// A scorer that asks an agent of the service. The agent is asked a second time if its verdict has another shape.
import * as Json from "@svc-runtime/domain/Json"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Judgement from "@svc-runtime/domain/scoring/Judgement"
import * as JudgeScorer from "@svc-runtime/domain/scoring/JudgeScorer"
import type * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import { Effect, Option, Schema } from "effect"
import type { Access } from "../calls/Calls.ts"
import * as RatedRun from "./RatedRun.ts"

export const Judge = Schema.Struct({ ...JudgeScorer.fields, agent_id: Schema.NonEmptyString })
export type Judge = typeof Judge.Type

/** The answer to judge, and its task. */
export interface Judged extends Scorer.Expectation {
  readonly input: string
  readonly output: Json.Value
}

export interface Options {
  readonly session_id: string
  /** Seconds. */
  readonly timeout: number
}

const runOptions: Readonly<Record<Judgement.Strategy, RatedRun.Request["options"]>> = {
  numeric: RunOption.judging(Schema.toJsonSchemaDocument(Judgement.schemas.numeric).schema),
  binary: RunOption.judging(Schema.toJsonSchemaDocument(Judgement.schemas.binary).schema)
}

/** Agents without structured output answer with the text of a value. */
const valueOf = (content: Json.Value): unknown =>
  typeof content === "string" ? Option.getOrUndefined(Json.parse(content)) : content

/** The verdict in an answer of the judge. An answer of another shape has none. */
const attempt = Effect.fnUntraced(function*(
  access: Access,
  judge: Judge,
  request: Judgement.Request,
  { session_id, timeout }: Options
) {
  const { question } = request
  const { problem, run } = yield* RatedRun.execute(access, {
    component: { kind: "agent", id: judge.agent_id },
    message: `${Judgement.systemOf(request)}\n\n${Judgement.messageOf(request)}`,
    session_id,
    timeout,
    options: runOptions[Judgement.strategyOf(question)]
  })
  if (run === undefined || problem !== undefined) return Judgement.unusable(`The judge did not answer. ${problem}`)
  return Judgement.verdictOf(question, valueOf(run.content))
})

const verdict = Effect.fnUntraced(function*(
  access: Access,
  judge: Judge,
  request: Judgement.Request,
  options: Options
) {
  const first = yield* attempt(access, judge, request, options)
  if (first !== undefined) return first
  // in a session of its own, so that the agent does not see its first verdict
  const session_id = `${options.session_id}_again`
  return (yield* attempt(access, judge, request, { ...options, session_id })) ?? Judgement.unusableTwice
})

export const score = Effect.fnUntraced(function*(
  access: Access,
  judge: Judge,
  { expected_output, input, output }: Judged,
  options: Options
) {
  const question = JudgeScorer.questionOf(judge, RatedRun.textOf(expected_output ?? null))
  const request = { question, guidelines: judge.guidelines ?? null, input, output: RatedRun.textOf(output) }
  return JudgeScorer.scoreOf(judge, yield* verdict(access, judge, request, options))
})
