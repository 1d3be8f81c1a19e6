// A model that judges an answer. It is asked a second time if it fails, or if its verdict does not fit the schema. Then
// the answer has no score, and the reason says why.
import { toPrompt } from "@svc-runtime/agents/agent/execute/context/Conversation"
import * as ModelStep from "@svc-runtime/agents/agent/execute/model/ModelStep"
import { formatOf, named, type OutputSchema, valueOf } from "@svc-runtime/agents/agent/execute/model/StructuredOutput"
import * as Judgement from "@svc-runtime/domain/scoring/Judgement"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import { now } from "@svc-runtime/engine/now"
import { type Shape, shapeOf } from "@svc-runtime/engine/schema/AnySchema"
import type { Model } from "@svc-runtime/models/Model"
import * as ModelError from "@svc-runtime/models/ModelError"
import { Instruments, type JudgeEnd, type JudgeFailure } from "@svc-runtime/telemetry/Instruments"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import { Cause, Data, Effect, Option } from "effect"
import type { AiError } from "effect/ai"

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

/** An attempt without a verdict. */
class NoVerdict extends Data.TaggedError("NoVerdict")<{
  readonly reason: JudgeFailure["reason"]
  /** What callers read. */
  readonly text: string
  /** What the log has beside it. */
  readonly details?: unknown
}> {}

const unusable = (details: string) => new NoVerdict({ reason: "format", text: Judgement.unusableTwice.reason, details })

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
  const { value } = yield* Effect.mapError(valueOf(schema, answer.text), ({ message }) => unusable(message))
  const verdict = Judgement.verdictOf(request.question, value)
  return verdict ?? (yield* unusable("The verdict has another shape"))
})

type Failure = AiError.AiError | NoVerdict | ValueTooLarge

/** Of an attempt. Also a defect of its model must not fail the evaluation. */
const failed = (cause: Cause.Cause<Failure>): Effect.Effect<never, NoVerdict> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "NoVerdict") return Effect.fail(error)
  if (error === undefined) {
    const text = "The judge failed unexpectedly. The log has the cause"
    return Effect.fail(new NoVerdict({ reason: "error", text, details: cause }))
  }
  const { message } = error._tag === "AiError" ? ModelError.describe(error) : error
  return Effect.fail(new NoVerdict({ reason: "error", text: `The judge failed: ${message}` }))
}

const withoutVerdict = Effect.fnUntraced(function*({ source }: Request, { details, reason, text }: NoVerdict) {
  const { judgeFailed } = yield* Instruments
  judgeFailed({ source, reason })
  yield* Effect.logWarning(`A judge gave no verdict. ${text}`, ...(details === undefined ? [] : [details]))
  return Judgement.unusable(text)
})

export const ask = (request: Request): Effect.Effect<Judgement.Verdict> => {
  const { seconds } = request
  const once = ModelRequests.within(Effect.catchCause(attempt(request), failed), `${seconds} seconds`, () => {
    const text = `The judge did not answer within ${seconds} s (EVALUATION_JUDGE_TIMEOUT)`
    return Effect.fail(new NoVerdict({ reason: "timeout", text }))
  })
  return once.pipe(
    Effect.catchIf(({ reason }) => reason !== "timeout", () => once),
    Effect.catch((failure) => withoutVerdict(request, failure))
  )
}
