// The requests of hooks to models. Their tokens are those of the run.
import * as Json from "@svc-runtime/domain/Json"
import { authored } from "@svc-runtime/engine/schema/AnySchema"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import type { Model } from "@svc-runtime/models/Model"
import { Effect, Schema } from "effect"
import type { Agent } from "../../define/Agent.ts"
import type { Question, RunHook } from "../../define/Hook.ts"
import { toPrompt } from "../context/Conversation.ts"
import type { RunModels } from "../model/ModelFallback.ts"
import * as ModelStep from "../model/ModelStep.ts"
import { contentOf, formatOf, type OutputSchema, raw } from "../model/StructuredOutput.ts"
import { addUsage, type RunRecorder } from "../RunRecorder.ts"
import type { Hooked } from "./HookStages.ts"

export class UnfitAnswer extends Schema.TaggedError<UnfitAnswer>()("UnfitAnswer", {}) {
  override get message() {
    return "The answer of the model does not fit the schema of the question"
  }
}

interface Asking {
  readonly recorder: RunRecorder
  readonly models: RunModels
  /** The models of hooks that have their own, by the name of the hook. */
  readonly own: ReadonlyMap<string, Model>
}

const schemaOf = ({ schema }: Question): OutputSchema | undefined =>
  schema === undefined ? undefined : raw(authored(schema))

const request = Effect.fnUntraced(function*({ models, own, recorder }: Asking, hook: RunHook, question: Question) {
  const model = own.get(hook.name) ?? models.current
  const outputSchema = schemaOf(question)
  const { text, usage } = yield* ModelStep.once({
    model,
    prompt: toPrompt([
      recorder.message("system", { content: question.instructions }),
      recorder.message("user", { content: question.input })
    ]),
    toolkit: undefined,
    toolChoice: "none",
    format: formatOf(outputSchema),
    stream: false,
    hides: "all",
    onText: undefined,
    onReasoning: undefined
  })
  addUsage(recorder, "hook_model", model, usage)
  const { content, contentType } = yield* contentOf(outputSchema, text)
  if (outputSchema !== undefined && contentType !== outputSchema.contentType) return yield* new UnfitAnswer()
  return Json.of(content)
})

/** The hooks of a run. */
export const hookedOf = (asking: Asking & { readonly agent: Agent; readonly context: RunContext }): Hooked => {
  const { agent, context, recorder: { elapsed, emit } } = asking
  const askOf: Hooked["askOf"] = (hook, signal, services) => (question) =>
    Effect.runPromiseWith(services)(request(asking, hook, question), { signal })
  return { agent, context, emit, elapsed, askOf }
}
