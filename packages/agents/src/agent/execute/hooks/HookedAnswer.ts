// Answers of the model as the hooks leave them. They are shown only then.
import { Effect } from "effect"
import type { AgentCommand } from "../AgentCommand.ts"
import * as ModelAnswer from "../model/ModelAnswer.ts"
import type { RunModels } from "../model/ModelFallback.ts"
import type { StepResult } from "../model/ModelStep.ts"
import type { OutputSchema } from "../model/StructuredOutput.ts"
import { type RunRecorder, show } from "../RunRecorder.ts"
import * as HookStages from "./HookStages.ts"

interface Loop {
  readonly recorder: RunRecorder
  readonly command: AgentCommand
  readonly models: RunModels
  readonly outputSchema: OutputSchema | undefined
}

/** An answer that a hook has given instead of the model. */
export const of = (text: string): StepResult => ({ ...ModelAnswer.of(text), timeToFirstToken: undefined })

/** The text of the last answer is shown after the hooks of the end. */
export const passed = Effect.fnUntraced(function*(hooked: HookStages.Hooked, loop: Loop, answer: StepResult) {
  const { command: { stream }, models, outputSchema, recorder } = loop
  if (!HookStages.withholds(hooked)) return answer
  const { calls, reasoning, text } = answer
  const { isChanged, value } = yield* HookStages.afterModel(hooked, {
    text,
    reasoning,
    model: models.current.id,
    calls: calls.map(({ name }) => name)
  })
  if (stream && value.reasoning !== "") show(recorder, { reasoning_content: value.reasoning })
  if (stream && value.text !== "" && calls.length > 0 && outputSchema === undefined) {
    show(recorder, { content: value.text })
  }
  return isChanged ? { ...answer, ...ModelAnswer.withTexts(answer, value) } : answer
})
