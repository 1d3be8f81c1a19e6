// Hooks of authors. A hook that throws `CheckFailed` rejects the input or the answer with a reason for the caller. Any
// other error also fails the run, and is only logged.
import type * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import type * as Run from "@svc-runtime/domain/Run"
import type { AnySchema } from "@svc-runtime/engine/schema/AnySchema"
import type { ContextOf, RunSchemas } from "@svc-runtime/engine/tool/RunSchemas"
import { isFields, madeOf, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Effect, type JsonSchema, Predicate, Schema } from "effect"
import type { Prompt } from "effect/ai"

/** The reasons that clients know. */
export const Reason = Schema.Literals([
  "off_topic",
  "input_not_allowed",
  "output_not_allowed",
  "validation_failed",
  "prompt_injection",
  "pii_detected"
])
export type Reason = typeof Reason.Type

export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", {
  reason: Reason,
  message: Schema.String
}) {}

export interface HookInput<R extends RunSchemas = NonNullable<unknown>> {
  readonly input: Run.Input
  /** Undefined before the answer. */
  readonly content: Json.Value | undefined
  readonly context: ContextOf<R>
  /** Aborted when the run is cancelled or its time is over. */
  readonly signal: AbortSignal
}

/** A check or a side effect before the first request to the model, or after the answer. */
export interface Hook<in R extends RunSchemas = NonNullable<unknown>> {
  /** The name in events and errors. */
  readonly name: string
  /** Throws `CheckFailed` to end the run. It returns nothing, a promise or an Effect. */
  readonly run: (input: HookInput<R>) => UserCode.Returned<void>
}

export class HookBroken extends Schema.TaggedError<HookBroken>()("HookBroken", {
  hook: Schema.String,
  /** Left out: a check before the run or of its answer. */
  stage: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  override get message() {
    return `The hook '${this.hook}' failed`
  }
}

export const call = (
  hook: Hook,
  input: Omit<HookInput, "signal">
): Effect.Effect<void, CheckFailed | HookBroken> =>
  Effect.mapError(
    UserCode.call((signal) => hook.run({ ...input, signal })),
    ({ cause }) => cause instanceof CheckFailed ? cause : new HookBroken({ hook: hook.name, cause })
  )

export interface Question {
  readonly instructions: string
  readonly input: string
  /** Left out: the answer is text. */
  readonly schema?: AnySchema | JsonSchema.JsonSchema | undefined
}

/**
 * Requests the `model` of the hook, or the one of the agent. The tokens are in the metrics of the run as `hook_model`.
 * Rejects when the model fails, or its answer does not fit the schema.
 */
export type Ask = (question: Question) => Promise<Json.Value>

interface AnyStage<R extends RunSchemas> {
  readonly context: ContextOf<R>
  readonly ask: Ask
  /** Aborted when the run is cancelled or its time is over. An Effect is interrupted instead. */
  readonly signal: AbortSignal
}

export interface RunStage<R extends RunSchemas = NonNullable<unknown>> extends AnyStage<R> {
  readonly input: Run.Input
}

export interface AnswerStage<R extends RunSchemas = NonNullable<unknown>> extends RunStage<R> {
  /** The answer of the run: text, or the object of its output schema. */
  readonly content: Json.Value
}

export interface ModelStage<R extends RunSchemas = NonNullable<unknown>> extends AnyStage<R> {
  /** The id of the model. */
  readonly model: string
  /** All that is sent: system message, history, input, earlier turns. */
  readonly messages: ReadonlyArray<Prompt.MessageEncoded>
}

export interface ModelText {
  readonly text: string
  /** What the model shows of its reasoning. */
  readonly reasoning: string
}

export interface ModelAnswerStage<R extends RunSchemas = NonNullable<unknown>> extends AnyStage<R>, ModelText {
  readonly model: string
  /** The names of the tools that the model calls. */
  readonly calls: ReadonlyArray<string>
}

export interface ToolStage<R extends RunSchemas = NonNullable<unknown>> extends AnyStage<R> {
  readonly tool: string
  readonly toolCallId: string
  readonly args: Json.Value
}

export interface ToolResultStage<R extends RunSchemas = NonNullable<unknown>> extends ToolStage<R> {
  /** As the model gets it. */
  readonly result: string
  readonly isError: boolean
}

/** Later hooks and the run get another value. */
export interface Changed<A> {
  readonly _tag: "Changed"
  readonly value: A
  readonly reason: string | undefined
}

/** Instead of the model or the tool. Later hooks of the stage are not called. */
export interface Answered<A> {
  readonly _tag: "Answered"
  readonly value: A
  readonly reason: string | undefined
}

/** Only the event. */
export interface Noted {
  readonly _tag: "Noted"
  readonly reason: string
}

/** What a hook returns: nothing, if all stays as it is. */
export type Outcome<A, B = never> =
  | Changed<A>
  | ([B] extends [never] ? never : Answered<B>)
  | Noted
  | undefined
  | void

/** `reason`: for the event. */
export const change = <const A>(value: A, reason?: string): Changed<A> => ({ _tag: "Changed", value, reason })

/** `reason`: for the event. */
export const answer = <const A>(value: A, reason?: string): Answered<A> => ({ _tag: "Answered", value, reason })

export const note = (reason: string): Noted => ({ _tag: "Noted", reason })

/** Shows a text while it arrives, as `afterModel` of its hook leaves the whole of it. */
export interface TextWindow {
  /** What can be shown after a further part. */
  readonly add: (part: string) => string
  /** The rest. */
  readonly end: () => string
  /** The text has what may not be shown. It shows nothing more, and `afterModel` rejects the whole. */
  readonly isBlocked: () => boolean
}

/**
 * Functions around a run, its requests to the model and its calls of tools. Each may change what it is given, answer
 * instead, or reject by throwing `CheckFailed`. The hooks of a stage are called in their order.
 *
 * An agent with `afterModel` or `afterRun` shows its answer when these hooks have passed it, not in parts. Guardrails
 * that need only a part of the text are an exception.
 */
export interface RunHook<in R extends RunSchemas = NonNullable<unknown>> {
  /** The name in events and errors, unique in its agent. */
  readonly name: string
  /** The model that `ask` requests. Default: the model of the agent. */
  readonly model?: ModelRef | undefined
  /** Changes the content of the input for the model, or answers the run without a request. */
  readonly beforeRun?: ((stage: RunStage<R>) => UserCode.Returned<Outcome<Json.Value, Json.Value>>) | undefined
  /** Changes the answer of the run. */
  readonly afterRun?: ((stage: AnswerStage<R>) => UserCode.Returned<Outcome<Json.Value>>) | undefined
  /** Changes the messages of one request, or gives the text of its answer. */
  readonly beforeModel?:
    | ((stage: ModelStage<R>) => UserCode.Returned<Outcome<ReadonlyArray<Prompt.MessageEncoded>, string>>)
    | undefined
  /**
   * Of a guardrail. How answers are shown before `afterModel` has the whole of them, or that they are not.
   *
   * @internal
   */
  readonly shows?: "whole" | (() => TextWindow) | undefined
  /** Changes the text and the reasoning of an answer of the model. */
  readonly afterModel?: ((stage: ModelAnswerStage<R>) => UserCode.Returned<Outcome<Partial<ModelText>>>) | undefined
  /** Changes the arguments before a person confirms them, or gives the result. */
  readonly beforeTool?: ((stage: ToolStage<R>) => UserCode.Returned<Outcome<Json.Value, string>>) | undefined
  /** Changes the result. */
  readonly afterTool?: ((stage: ToolResultStage<R>) => UserCode.Returned<Outcome<string>>) | undefined
}

const stages: AuthorOptions.Kinds<Exclude<keyof RunHook, "model" | "name" | "shows">> = {
  beforeRun: "function",
  afterRun: "function",
  beforeModel: "function",
  afterModel: "function",
  beforeTool: "function",
  afterTool: "function"
}

const kinds: AuthorOptions.Kinds<keyof RunHook> = { name: "text", model: "any", shows: "any", ...stages }

/** What an instance of a class has of them. Its other fields are its state. */
const picked = (hook: object, names: ReadonlyArray<string>): object =>
  Object.fromEntries(
    names.flatMap((name) => Predicate.hasProperty(hook, name) ? [[name, hook[name]] as const] : [])
  )

const isInstance = (hook: unknown): hook is object =>
  isFields(hook) && madeOf(hook) === undefined && AuthorOptions.isInstance(hook)

const checkHook = (owner: string, hook: Hook | RunHook, kinds: AuthorOptions.Kinds<string>): void => {
  AuthorOptions.check(owner, isInstance(hook) ? picked(hook, Object.keys(kinds)) : hook, kinds)
  if (!Predicate.isString(hook.name)) throw new Mistake(`${owner} has no name. Give it one, for events and errors`)
}

const isStaged = (hook: object): boolean =>
  Object.keys(stages).some((stage) => Predicate.hasProperty(hook, stage) && hook[stage] !== undefined)

/** A hook that would never be called would be taken for a guard. */
const checkStages = (owner: string, hook: RunHook): void => {
  if (isInstance(hook)) AuthorOptions.checkMethods(owner, hook, stages, !isStaged(hook))
  if (isStaged(hook)) return
  const names = NameList.all(Object.keys(stages))
  throw new Mistake(`${owner} has no stage, so that it would never be called. Its stages are ${names}`)
}

/** Checks, each with a name and a function. */
export const checks = (owner: string, option: string, hooks: ReadonlyArray<Hook>): ReadonlyArray<Hook> => {
  for (const [index, hook] of hooks.entries()) {
    const what = `${owner}: ${option}[${index}]`
    if (Predicate.isObject(hook) && isStaged(hook)) {
      throw new Mistake(`${what} is a guardrail, or a hook with stages. Write hooks: [ … ]`)
    }
    checkHook(what, hook, { name: "text", run: "function" } satisfies AuthorOptions.Kinds<keyof Hook>)
    if (!Predicate.isFunction(hook.run)) throw new Mistake(`${what} has no run. Give it the function that checks`)
  }
  return hooks
}

/** Throws for two hooks with one name, and for a model that no provider can have. */
export const checked = (owner: string, hooks: ReadonlyArray<RunHook>): ReadonlyArray<RunHook> => {
  const names = new Set<string>()
  for (const [index, hook] of hooks.entries()) {
    const what = `${owner}: hooks[${index}]`
    if (Predicate.hasProperty(hook, "run") && !isStaged(hook)) {
      throw new Mistake(`${what} is a check. Write preHooks: [ … ], or postHooks: [ … ]`)
    }
    checkHook(what, hook, kinds)
    checkStages(what, hook)
    const { model, name } = hook
    if (names.has(name)) throw new Mistake(`${owner} has two hooks called '${name}'`)
    names.add(name)
    Validate.model(owner, `the model of the hook '${name}'`, model)
  }
  return hooks
}
