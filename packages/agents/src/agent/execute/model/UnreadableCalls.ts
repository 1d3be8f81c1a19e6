// A call of a tool that its provider could not read is not in the answer. The model is informed, and writes it again.
// The corrections are for these requests alone: they are no part of the run.
import type * as Message from "@svc-runtime/domain/Message"
import * as ModelError from "@svc-runtime/models/ModelError"
import { Effect } from "effect"
import { Prompt } from "effect/ai"
import { toPrompt } from "../context/Conversation.ts"
import type { RunRecorder } from "../RunRecorder.ts"
import type * as ModelFallback from "./ModelFallback.ts"
import type { StepResult } from "./ModelStep.ts"

const correction =
  "The call of a tool that you just wrote could not be read, and was not executed. Write it again: the name of one of " +
  "your tools, and its arguments as JSON, without code around them. Or answer without a tool."

/** How often a model is informed. */
const limit = 2

interface Caller {
  readonly recorder: RunRecorder
  readonly models: ModelFallback.RunModels
}

interface Answered {
  readonly message: Message.Message
  readonly result: StepResult
}

/** `again` requests the model behind what it has written, and the corrections. */
export const corrected = Effect.fnUntraced(
  function*<A extends Answered, E, R>(
    { models, recorder }: Caller,
    first: A,
    again: (written: Prompt.Prompt) => Effect.Effect<A, E, R>
  ) {
    let response = first
    let written = Prompt.empty
    for (let corrections = 0; response.result.hasUnreadableCall && response.result.calls.length === 0; corrections++) {
      const { message } = response
      const isEmpty = message.content === undefined
      if (isEmpty) recorder.messages.splice(recorder.messages.lastIndexOf(message), 1)
      if (corrections === limit) {
        const { id: model, provider } = models.current
        return yield* ModelError.unreadableCalls({ provider, model, method: "streamText" })
      }
      const words = [...isEmpty ? [] : [message], recorder.message("user", { content: correction })]
      written = Prompt.concat(written, toPrompt(words))
      response = yield* again(written)
    }
    return response
  }
)
