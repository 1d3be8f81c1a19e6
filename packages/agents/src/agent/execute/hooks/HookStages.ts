// Calls the hooks of an agent around its run, its requests to the model and its calls of tools. What a hook changes,
// answers, notes or rejects is an event of the run.
import type * as AgentEvent from "@svc-runtime/domain/AgentEvent"
import * as Json from "@svc-runtime/domain/Json"
import type { Input } from "@svc-runtime/domain/Run"
import { checkOutput } from "@svc-runtime/engine/limits/ByteLimits"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { type Context, Effect, Option, Predicate, Schema } from "effect"
import { Prompt } from "effect/ai"
import type { Agent } from "../../define/Agent.ts"
import { type Ask, CheckFailed, HookBroken, type ModelText, type RunHook, type ToolStage } from "../../define/Hook.ts"
import * as RunLimits from "../RunLimits.ts"
import type { Emit } from "../RunRecorder.ts"
import * as Text from "../Text.ts"
import { type HookFailure, HookRejected } from "./HookFailure.ts"

type Stage = typeof AgentEvent.HookApplied.Type["stage"]

/** The run of the hooks. */
export interface Hooked {
  readonly agent: Pick<Agent, "hooks" | "runTimeout">
  readonly context: RunContext
  readonly emit: Emit
  /** Seconds of execution. */
  readonly elapsed: () => number
  /** The signal ends the requests of the hook. The services are those of its call. */
  readonly askOf: (hook: RunHook, signal: AbortSignal, services: Context.Context<never>) => Ask
}

/** What the hooks of a stage have left of a value. */
export interface Result<A, B = never> {
  readonly value: A
  readonly isChanged: boolean
  readonly answer: { readonly value: B } | undefined
}

interface Given {
  readonly context: RunContext
  readonly ask: Ask
  readonly signal: AbortSignal
}

interface Around<A, B> {
  readonly stage: Stage
  readonly toolCallId?: string
  /** Calls the hook's function for the stage with the value so far, on the hook. Undefined: it has none. */
  readonly call: (hook: RunHook, value: A) => ((around: Given) => UserCode.Returned<unknown>) | undefined
  readonly value: A
  /** None: a hook must not return it. */
  readonly change: (given: unknown, value: A) => Option.Option<A>
  readonly answer: (given: unknown) => Option.Option<B>
  /** What is limited of a value that a hook gives. */
  readonly textOf?: (given: A | B) => string
}

/** Of a reason in an event. */
const reasonLimit = 1000

const isJson = Schema.is(Schema.Json)
const json = (value: unknown): Option.Option<Json.Value> =>
  isJson(value) && Json.isShallow(value) ? Option.some(value) : Option.none()
const string = (value: unknown): Option.Option<string> => Predicate.isString(value) ? Option.some(value) : Option.none()
const nothing = () => Option.none<never>()

/** A hook that changes it in place does not change the run. */
const copied = (value: Json.Value): Json.Value => Predicate.isObjectOrArray(value) ? structuredClone(value) : value

const failureOf = (stage: Stage, { name }: RunHook, { cause }: UserCode.UserError): HookBroken | HookRejected =>
  cause instanceof CheckFailed
    ? new HookRejected({ stage, reason: cause.reason, message: cause.message })
    : new HookBroken({ hook: name, stage, cause })

/** Calls the hooks in their order, each with the value that the one before has left. */
const around = Effect.fnUntraced(function*<A, B>(hooked: Hooked, options: Around<A, B>) {
  const { agent, askOf, context, emit } = hooked
  const { answer, call, change, stage, textOf, toolCallId } = options
  let { value } = options
  let isChanged = false
  const applied = (
    { name: hook_name }: RunHook,
    action: typeof AgentEvent.HookApplied.Type["action"],
    reason: string | undefined
  ) =>
    emit({
      event: "HookApplied",
      hook_name,
      stage,
      action,
      ...(reason === undefined ? {} : { reason: reason.slice(0, reasonLimit) }),
      ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId })
    })
  for (const hook of agent.hooks) {
    const calling = call(hook, value)
    if (calling === undefined) continue
    const calls = Effect.contextWith((services: Context.Context<never>) =>
      UserCode.call((signal) => calling({ context, signal, ask: askOf(hook, signal, services) }))
    )
    const called = Effect.mapError(calls, (error) => failureOf(stage, hook, error))
    const returned = yield* RunLimits.inTime(agent, hooked, called).pipe(
      Effect.tapError((failure) =>
        Effect.sync(() => {
          if (failure._tag === "HookRejected") applied(hook, "rejected", failure.reason)
        })
      )
    )
    if (returned === undefined) continue
    const outcome = yield* outcomeOf(returned, { change: (given) => change(given, value), answer }).pipe(
      Effect.mapError((message) => new HookBroken({ hook: hook.name, stage, cause: new Error(`${stage}: ${message}`) }))
    )
    if (outcome.action !== "noted" && textOf !== undefined) {
      yield* checkOutput(`What the hook '${hook.name}' gives`, textOf(outcome.value))
    }
    applied(hook, outcome.action, outcome.reason)
    if (outcome.action === "answered") return { value, isChanged, answer: { value: outcome.value } } as Result<A, B>
    if (outcome.action === "noted") continue
    value = outcome.value
    isChanged = true
  }
  const result: Result<A, B> = { value, isChanged, answer: undefined }
  return result
})

interface Readers<A, B> {
  readonly change: (given: unknown) => Option.Option<A>
  readonly answer: (given: unknown) => Option.Option<B>
}

type Applied<A, B> =
  & { readonly reason: string | undefined }
  & (
    | { readonly action: "changed"; readonly value: A }
    | { readonly action: "answered"; readonly value: B }
    | { readonly action: "noted" }
  )

/** What a hook has returned, which authors without types can get wrong. */
const outcomeOf = <A, B>(
  returned: unknown,
  { answer, change }: Readers<A, B>
): Effect.Effect<Applied<A, B>, string> => {
  const reason = Predicate.hasProperty(returned, "reason") && Predicate.isString(returned.reason)
    ? returned.reason
    : undefined
  const given = Predicate.hasProperty(returned, "value") ? returned.value : undefined
  if (Predicate.isTagged(returned, "Noted")) return Effect.succeed({ action: "noted", reason })
  if (Predicate.isTagged(returned, "Changed")) {
    return Option.match(change(given), {
      onNone: () => Effect.fail("a value that does not fit was given to Hook.change"),
      onSome: (value) => Effect.succeed({ action: "changed", value, reason })
    })
  }
  if (Predicate.isTagged(returned, "Answered")) {
    return Option.match(answer(given), {
      onNone: () => Effect.fail("an answer that does not fit was given to Hook.answer"),
      onSome: (value) => Effect.succeed({ action: "answered", value, reason })
    })
  }
  return Effect.fail("return nothing, Hook.change, Hook.answer or Hook.note")
}

interface Having {
  readonly agent: Pick<Agent, "hooks">
}

const has = ({ agent: { hooks } }: Having, stage: Exclude<keyof RunHook, "model" | "name" | "shows">): boolean =>
  hooks.some((hook) => hook[stage] !== undefined)

/** Whether hooks get the answers of the model, and may change them. */
export const getsAnswers = (hooked: Having): boolean => has(hooked, "afterModel") || has(hooked, "afterRun")

/** Hooks that need the whole answer before any of it is shown. */
export const needWhole = ({ agent: { hooks } }: Having): ReadonlyArray<RunHook> =>
  hooks.filter(({ afterModel, afterRun, shows }) =>
    afterRun !== undefined || (afterModel !== undefined && typeof shows !== "function")
  )

/** Whether the answer is shown only when the hooks have passed it. */
export const withholds = (hooked: Having): boolean => needWhole(hooked).length > 0

/** What traces have only as the hooks leave it. */
export const hides = (hooked: Having): "answer" | undefined =>
  getsAnswers(hooked) || has(hooked, "beforeTool") ? "answer" : undefined

export const hidesInput = (hooked: Having): boolean => has(hooked, "beforeRun")

export const beforeRun = (hooked: Hooked, input: Input) =>
  around<Json.Value, Json.Value>(hooked, {
    stage: "before_run",
    call: (hook, input_content) =>
      hook.beforeRun &&
      ((given) => hook.beforeRun?.({ input: { ...input, input_content: copied(input_content) }, ...given })),
    value: input.input_content,
    change: json,
    answer: json,
    textOf: Text.ofJson
  })

export const afterRun = (
  hooked: Hooked,
  input: Input,
  content: Json.Value
): Effect.Effect<Result<Json.Value>, HookFailure> =>
  around<Json.Value, never>(hooked, {
    stage: "after_run",
    call: (hook, content) =>
      hook.afterRun && ((given) =>
        hook.afterRun?.({
          input: { ...input, input_content: copied(input.input_content) },
          content: copied(content),
          ...given
        })),
    value: content,
    change: json,
    answer: nothing,
    textOf: Text.ofJson
  })

const encodeMessages = Schema.encodeSync(Schema.Array(Prompt.Message))
const decodeMessages = Schema.decodeUnknownOption(Schema.Array(Prompt.Message))

/** The messages are written only for agents with such hooks. */
export const beforeModel = Effect.fnUntraced(function*(hooked: Hooked, model: string, prompt: Prompt.Prompt) {
  if (!has(hooked, "beforeModel")) return { prompt, answer: undefined }
  const { answer, isChanged, value } = yield* around<ReadonlyArray<Prompt.MessageEncoded>, string>(hooked, {
    stage: "before_model",
    call: (hook, messages) => hook.beforeModel && ((given) => hook.beforeModel?.({ model, messages, ...given })),
    value: encodeMessages(prompt.content),
    change: (given) => Option.map(decodeMessages(given), (messages) => encodeMessages(messages)),
    answer: string,
    textOf: (given) => Predicate.isString(given) ? given : ""
  })
  return { prompt: isChanged ? Prompt.make(value) : prompt, answer: answer?.value }
})

const modelText = (given: unknown, value: ModelText): Option.Option<ModelText> => {
  if (!Predicate.isObject(given)) return Option.none()
  const { reasoning = value.reasoning, text = value.text } = given as Partial<Record<keyof ModelText, unknown>>
  return Predicate.isString(text) && Predicate.isString(reasoning) ? Option.some({ text, reasoning }) : Option.none()
}

export const afterModel = (
  hooked: Hooked,
  answer: ModelText & { readonly model: string; readonly calls: ReadonlyArray<string> }
): Effect.Effect<Result<ModelText>, HookFailure> => {
  const { calls, model, reasoning, text } = answer
  return around<ModelText, never>(hooked, {
    stage: "after_model",
    call: (hook, value) => hook.afterModel && ((given) => hook.afterModel?.({ ...value, model, calls, ...given })),
    value: { text, reasoning },
    change: modelText,
    answer: nothing,
    textOf: ({ reasoning, text }) => reasoning + text
  })
}

export interface Call extends Omit<ToolStage, keyof Given> {}

export const hasBeforeTool = (hooked: Having): boolean => has(hooked, "beforeTool")

export const beforeTool = (
  hooked: Hooked,
  { args, ...call }: Call
): Effect.Effect<Result<Json.Value, string>, HookFailure> =>
  around<Json.Value, string>(hooked, {
    stage: "before_tool",
    toolCallId: call.toolCallId,
    call: (hook, args) => hook.beforeTool && ((given) => hook.beforeTool?.({ ...call, args: copied(args), ...given })),
    value: args,
    change: json,
    answer: string,
    textOf: Text.ofJson
  })

export const afterTool = (
  hooked: Hooked,
  call: Call & { readonly isError: boolean },
  result: string
): Effect.Effect<Result<string>, HookFailure> =>
  around<string, never>(hooked, {
    stage: "after_tool",
    toolCallId: call.toolCallId,
    call: (hook, result) =>
      hook.afterTool && ((given) => hook.afterTool?.({ ...call, args: copied(call.args), result, ...given })),
    value: result,
    change: string,
    answer: nothing
  })
