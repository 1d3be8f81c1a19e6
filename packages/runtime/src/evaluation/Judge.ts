// A model that judges an answer. It is asked a second time if its verdict does not fit the schema; then the answer has
// no score, and the reason says why.
import * as Judgement from "@svc/domain/scoring/Judgement"
import type * as Usage from "@svc/domain/Usage"
import type { Model } from "@svc/models/Model"
import { Instruments, type JudgeEnd } from "@svc/telemetry/Instruments"
import { Cause, Effect } from "effect"
import { toPrompt } from "../agent/context/Conversation.ts"
import * as ModelStep from "../agent/model/ModelStep.ts"
import { contentOf, formatOf, named, type OutputSchema } from "../agent/model/StructuredOutput.ts"
import { now } from "../now.ts"
import { type Shape, shapeOf } from "../schema/AnySchema.ts"

const schemas = {
  numeric: named(shapeOf(Judgement.schemas.numeric) as Shape<unknown>),
  binary: named(shapeOf(Judgement.schemas.binary) as Shape<unknown>)
} satisfies Record<Judgement.Strategy, OutputSchema>

export interface Request extends Judgement.Request {
  readonly model: Model
  readonly seconds: number
  readonly source: JudgeEnd["source"]
  /** Called for each answer of the judge. */
  readonly onUsage?: ((usage: Usage.Counters) => void) | undefined
}

const attempt = Effect.fnUntraced(function*(request: Request) {
  const schema = schemas[Judgement.strategyOf(request.question)]
  const created_at = yield* now
  const base = { from_history: false, stop_after_tool_call: false, created_at }
  const answer = yield* ModelStep.once({
    model: request.model,
    prompt: toPrompt([
      { ...base, id: "task", role: "system", content: Judgement.systemOf(request) },
      { ...base, id: "answer", role: "user", content: Judgement.messageOf(request) }
    ]),
    toolkit: undefined,
    toolChoice: "none",
    format: formatOf(schema),
    stream: false,
    onText: undefined,
    onReasoning: undefined
  })
  const { cost, input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = answer.usage
  const { judged } = yield* Instruments
  judged({ source: request.source, inputTokens, outputTokens, cost })
  request.onUsage?.(answer.usage)
  const { content } = yield* contentOf(schema, answer.text)
  return Judgement.verdictOf(request.question, content)
})

export const ask = (request: Request): Effect.Effect<Judgement.Verdict> => {
  const once = attempt(request).pipe(
    // also a defect of its model must not fail the evaluation
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning("A judge of an evaluation did not answer", cause), undefined)
    ),
    Effect.timeoutOrElse({
      duration: `${request.seconds} seconds`,
      orElse: () => Effect.succeed("late" as const)
    })
  )
  const second = Effect.map(once, (verdict) => verdict ?? Judgement.unusableTwice)
  return Effect.flatMap(once, (verdict) => verdict === undefined ? second : Effect.succeed(verdict)).pipe(
    Effect.map((verdict) =>
      verdict === "late"
        ? Judgement.unusable(`The judge did not answer within ${request.seconds} s (EVALUATION_JUDGE_TIMEOUT)`)
        : verdict
    )
  )
}
