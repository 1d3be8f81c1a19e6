// Asks a model about a conversation, with an answer of a shape: for summaries, memories and learnings.
import type { Model } from "@svc/models/Model"
import { Effect } from "effect"
import { toPrompt } from "./Conversation.ts"
import * as ModelStep from "./ModelStep.ts"
import { contentOf, formatOf, type OutputSchema } from "./StructuredOutput.ts"

export interface ConversationRequest {
  readonly model: Model
  /** What to do, and what is known already. */
  readonly system: ReadonlyArray<string | undefined>
  readonly transcript: string
  readonly schema: OutputSchema
  /** Epoch seconds. */
  readonly created_at: number
}

export type OnUsage<E, R> = (usage: ModelStep.StepResult["usage"]) => Effect.Effect<unknown, E, R>

const promptOf = ({ created_at, system, transcript }: ConversationRequest) => {
  const base = { from_history: false, stop_after_tool_call: false, created_at }
  return toPrompt([
    { ...base, id: "task", role: "system", content: system.filter((part) => part !== undefined).join("\n\n") },
    { ...base, id: "conversation", role: "user", content: `<conversation>\n${transcript}\n</conversation>` }
  ])
}

/** Its usage counts in any case: `onUsage` is called before the answer is decoded. */
export const ask = Effect.fnUntraced(function*<E, R>(request: ConversationRequest, onUsage: OnUsage<E, R>) {
  const answer = yield* ModelStep.once({
    model: request.model,
    prompt: promptOf(request),
    toolkit: undefined,
    toolChoice: "none",
    format: formatOf(request.schema),
    stream: false,
    onText: undefined,
    onReasoning: undefined
  })
  yield* onUsage(answer.usage)
  const { content } = yield* contentOf(request.schema, answer.text)
  return content
})
