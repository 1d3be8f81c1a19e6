// Requests of tools to the model of the run, as those of an MCP server. Each is in the journal, so its tokens count
// after a pause and after a crash.
import type { ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import type { Question, Sampling } from "@svc-runtime/engine/tool/Sampling"
import { ToolFailed } from "@svc-runtime/engine/tool/Tool"
import * as ModelError from "@svc-runtime/models/ModelError"
import * as ModelSettings from "@svc-runtime/models/ModelSettings"
import { Effect } from "effect"
import type { Agent } from "../../define/Agent.ts"
import type { Sampled } from "../AgentJournal.ts"
import { toPrompt } from "../context/Conversation.ts"
import * as HookStages from "../hooks/HookStages.ts"
import type { RunModels } from "../model/ModelFallback.ts"
import * as ModelStep from "../model/ModelStep.ts"
import * as RunLimits from "../RunLimits.ts"
import { addUsage, type RunRecorder } from "../RunRecorder.ts"

interface Run {
  readonly agent: Agent
  readonly models: RunModels
  readonly recorder: RunRecorder
  readonly record: (entry: Sampled) => Effect.Effect<void, ValueTooLarge>
}

/** The role of these requests in the metrics of a run. */
export const role = "tool_model"

const promptOf = ({ recorder }: Run, { messages, system }: Question) =>
  toPrompt([
    ...(system === undefined ? [] : [recorder.message("system", { content: system })]),
    ...messages.map(({ role, text }) => recorder.message(role, { content: text }))
  ])

const settingsOf = ({ modelSettings = ModelSettings.none }: Agent, question: Question) => {
  const { maxOutputTokens, stopSequences, temperature } = question
  return ModelSettings.merge(modelSettings, { maxOutputTokens, stopSequences, temperature })
}

const request = Effect.fnUntraced(function*(run: Run, question: Question) {
  const { agent, models, record, recorder } = run
  const model = models.current
  const asking = ModelStep.run(
    agent,
    {
      model,
      settings: settingsOf(agent, question),
      prompt: promptOf(run, question),
      toolkit: undefined,
      toolChoice: "none",
      format: { type: "text" },
      stream: false,
      hides: HookStages.hides({ agent }),
      onText: undefined,
      onReasoning: undefined
    },
    { any: false },
    false
  )
  const { response, text, usage } = yield* RunLimits.limited(agent, recorder, asking)
  addUsage(recorder, role, model, usage)
  const { id, provider } = model
  yield* record({ kind: "sampled", model: { id, provider }, usage })
  return { text, model: model.id, isCut: response.finishReason === "length" }
})

const messageOf = (error: Effect.Error<ReturnType<typeof request>>): string =>
  error._tag === "AiError" ? ModelError.describe(error).message : error.message

export const make = (run: Run): Sampling["Service"] => ({
  request: (question) =>
    Effect.mapError(
      request(run, question),
      (error) => new ToolFailed({ message: `The model failed: ${messageOf(error)}`, cause: undefined })
    )
})
