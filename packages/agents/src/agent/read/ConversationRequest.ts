// Asks a model about a conversation, with an answer of a shape: for summaries, memories and learnings.
import type { Model } from "@svc-runtime/models/Model"
import { Effect } from "effect"
import { toPrompt } from "../execute/context/Conversation.ts"
import * as ModelFallback from "../execute/model/ModelFallback.ts"
import * as ModelStep from "../execute/model/ModelStep.ts"
import { contentOf, formatOf, type OutputSchema } from "../execute/model/StructuredOutput.ts"

/** The first one, and its fallbacks. */
export type Models = readonly [Model, ...ReadonlyArray<Model>]

/** A background job has two minutes, and its models share them. */
const untilFallback = { answerTimeout: "45 seconds" } as const

export interface ConversationRequest {
  readonly models: Models
  /** What to do, and what is known already. */
  readonly system: ReadonlyArray<string | undefined>
  readonly transcript: string
  readonly schema: OutputSchema
  /** Epoch seconds. */
  readonly created_at: number
}

export type OnUsage<E, R> = (usage: ModelStep.StepResult["usage"], model: Model) => Effect.Effect<unknown, E, R>

const promptOf = ({ created_at, system, transcript }: ConversationRequest) => {
  const base = { from_history: false, stop_after_tool_call: false, created_at }
  return toPrompt([
    { ...base, id: "task", role: "system", content: system.filter((part) => part !== undefined).join("\n\n") },
    { ...base, id: "conversation", role: "user", content: `<conversation>\n${transcript}\n</conversation>` }
  ])
}

/** Its usage counts in any case: `onUsage` is called before the answer is decoded. */
export const ask = Effect.fnUntraced(function*<E, R>(request: ConversationRequest, onUsage: OnUsage<E, R>) {
  const [first, ...fallbacks] = request.models
  const models = ModelFallback.make(first, fallbacks)
  const answer = yield* ModelFallback.request(
    {
      models,
      shown: { any: false },
      emit: () => {},
      onRefusal: (model, { usage }) => onUsage(usage, model)
    },
    (model, hasFallback) =>
      ModelStep.once({
        model,
        settings: hasFallback ? untilFallback : undefined,
        prompt: promptOf(request),
        toolkit: undefined,
        toolChoice: "none",
        format: formatOf(request.schema),
        stream: false,
        onText: undefined,
        onReasoning: undefined
      })
  )
  yield* onUsage(answer.usage, models.current)
  const { content } = yield* contentOf(request.schema, answer.text)
  return content
})
