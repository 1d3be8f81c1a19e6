// The hooks around a run of an agent: its input and its answer as they leave them.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Predicate } from "effect"
import * as Hook from "../../define/Hook.ts"
import type { AgentCommand } from "../AgentCommand.ts"
import type { AgentExecution } from "../AgentExecution.ts"
import { type Content, contentOf as parsed, textContent } from "../model/StructuredOutput.ts"
import * as RunLimits from "../RunLimits.ts"
import type { RunRecorder } from "../RunRecorder.ts"
import * as Text from "../Text.ts"
import * as HookStages from "./HookStages.ts"

/** The `preHooks`. */
export const checkInput = Effect.fnUntraced(
  function*({ command: { agent, input }, context, recorder }: AgentExecution) {
    for (const hook of agent.preHooks) {
      recorder.emit({ event: "PreHookStarted", pre_hook_name: hook.name, run_input: input })
      yield* RunLimits.inTime(agent, recorder, Hook.call(hook, { input, content: undefined, context }))
      recorder.emit({ event: "PreHookCompleted", pre_hook_name: hook.name, run_input: input })
    }
  }
)

/** The `postHooks`. */
export const checkAnswer = Effect.fnUntraced(function*(
  { command: { agent, input }, context, recorder }: AgentExecution,
  content: Json.Value
) {
  for (const hook of agent.postHooks) {
    recorder.emit({ event: "PostHookStarted", post_hook_name: hook.name })
    yield* RunLimits.inTime(agent, recorder, Hook.call(hook, { input, content, context }))
    recorder.emit({ event: "PostHookCompleted", post_hook_name: hook.name })
  }
})

/** The command with another content of the input, for the model and for what is searched. */
export const withInput = (command: AgentCommand, input_content: Json.Value | undefined): AgentCommand =>
  input_content === undefined ? command : { ...command, input: { ...command.input, input_content } }

/** Changed input is in the journal before it is used. */
export const before = Effect.fnUntraced(function*(execution: AgentExecution) {
  const { command, record, replayed } = execution
  const { answer, isChanged, value } = yield* HookStages.beforeRun(execution.hooked, command.input)
  if (!isChanged) return { command, answer }
  replayed.changedInput = value
  yield* record({ kind: "hooked", input: value })
  return { command: withInput(command, value), answer }
})

/** Streams show an answer that is withheld for the hooks as one piece. */
export const isShownAtEnd = ({ agent, stream }: AgentCommand): boolean => stream && HookStages.withholds({ agent })

/** Of an answer that is not the model's. */
export const contentOf = (value: Json.Value): Content =>
  Predicate.isString(value) ? textContent(value) : { content: value, contentType: "dict" }

const misfit = new Error("after_run: the changed answer does not fit the output schema")

/** The last message has another content, or none, if it is the answer. The result of a call can be the answer too. */
const withAnswer = ({ messages }: RunRecorder, content: string | undefined): void => {
  const message = messages.at(-1)
  if (message?.role !== "assistant") return
  const { content: _, ...rest } = message
  messages[messages.length - 1] = content === undefined ? rest : { ...rest, content }
}

/** An answer that hooks have not passed is not stored. */
export const after = Effect.fnUntraced(function*(execution: AgentExecution, content: Content) {
  const { command, outputSchema, recorder } = execution
  const { isChanged, value } = yield* HookStages.afterRun(execution.hooked, command.input, content.content).pipe(
    Effect.onError(() => Effect.sync(() => withAnswer(recorder, undefined)))
  )
  if (!isChanged) return content
  const changed = outputSchema === undefined ? contentOf(value) : yield* parsed(outputSchema, Text.ofJson(value))
  if (outputSchema !== undefined && changed.contentType !== outputSchema.contentType) {
    return yield* new Hook.HookBroken({ hook: "afterRun", stage: "after_run", cause: misfit })
  }
  withAnswer(recorder, Text.ofJson(value))
  return changed
})
