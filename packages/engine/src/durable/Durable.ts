// What a tool and a function of a workflow can do inside of a run so that it is done once: the run keeps each result.
// A function that is repeated after a pause or a crash gets the results that the run has, and continues from there.
import type * as Json from "@svc-runtime/domain/Json"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import type { Duration, Effect, JsonSchema } from "effect"
import { Data } from "effect"
import type { AnySchema, Infer } from "../schema/AnySchema.ts"
import type { OutcomeLost } from "../tool/OutcomeLost.ts"
import type { Effects } from "../userCode/Effects.ts"
import type { Returned } from "../userCode/UserCode.ts"

/** A durable call failed. A repeated function gets the same failure again. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly message: string
  /** The name of the error that was thrown, `RunFailed`, or `Declined`. */
  readonly kind: string
}> {}

/** An agent, a team or a workflow. It need not be served on its own. */
export interface Component {
  readonly id: string
  readonly name: string
}

export interface RunOptions {
  /** A run that takes longer is cancelled, and the call fails. It counts from the first time that the call is made. */
  readonly timeout?: Duration.Input | undefined
  /** Show the events of the run in the stream, with their own `run_id`. Default: false. */
  readonly streamEvents?: boolean | undefined
}

export interface RunAnswer {
  readonly runId: string
  readonly content: Json.Value
}

export interface ChatMessage {
  readonly role: "user" | "assistant"
  readonly content: string
}

export type Schema = AnySchema | JsonSchema.JsonSchema

/** A text without a schema. */
export type Answer<S> = S extends AnySchema ? Infer<S> : S extends undefined ? string : Json.Value

interface GenerateOptions<S> {
  /** Default: the model of the agent, or of the service. */
  readonly model?: ModelRef | undefined
  readonly instructions?: string | undefined
  /** Of the answer: an object. Left out: the answer is text. */
  readonly schema?: S | undefined
}

export type Question<S> =
  & GenerateOptions<S>
  & (
    | { readonly prompt: string; readonly messages?: undefined }
    /** The last one is of the user. */
    | { readonly messages: ReadonlyArray<ChatMessage>; readonly prompt?: undefined }
  )

export interface PauseOptions<S> {
  /** What the person reads. */
  readonly question: string
  /** Of the answer. Left out: the answer is text. */
  readonly schema?: S | undefined
}

export interface StepOptions {
  /**
   * What a repetition after a crash does, as of tools: a `once` step (the default) is not repeated, and its call fails
   * because its outcome is unknown. If the function then fails, too, a person decides.
   */
  readonly effects?: Effects | undefined
}

export interface StepContext {
  /** The same if the step is repeated after a crash, and unique per step. Use it as an idempotency key. */
  readonly effectId: string
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal
}

export interface WaitOptions<S> {
  /** Of what is sent. Left out: any JSON. */
  readonly schema?: S | undefined
  /** Left out: it waits forever. */
  readonly timeout?: Duration.Input | undefined
}

/** Any JSON without a schema. */
export type Sent<S> = S extends AnySchema ? Infer<S> : Json.Value

/** What is not JSON would not survive a pause. */
type Kept = Json.Value | undefined | void | object

/** The same as Effects. */
export interface DurableEffects {
  readonly run: (
    component: Component,
    input: Json.Value,
    options?: RunOptions
  ) => Effect.Effect<RunAnswer, CallFailed>
  readonly generate: <const S extends Schema | undefined = undefined>(
    question: Question<S>
  ) => Effect.Effect<Answer<S>, CallFailed>
  readonly pause: <const S extends Schema | undefined = undefined>(
    options: PauseOptions<S>
  ) => Effect.Effect<Answer<S>, CallFailed>
  readonly step: <A extends Kept>(
    name: string,
    run: (context: StepContext) => Returned<A>,
    options?: StepOptions
  ) => Effect.Effect<A, CallFailed | OutcomeLost>
  readonly sleep: (duration: Duration.Input) => Effect.Effect<void, CallFailed>
  readonly waitFor: <const S extends Schema | undefined = undefined>(
    event: string,
    options?: WaitOptions<S>
  ) => Effect.Effect<Sent<S> | undefined, CallFailed>
}

export interface Durable {
  /**
   * Runs an agent, a team or a workflow inside of this run: its usage, its trace and its events are part of the run,
   * and it is cancelled, paused and resumed with it.
   */
  readonly run: (component: Component, input: Json.Value, options?: RunOptions) => Promise<RunAnswer>
  /** Requests a model: the text of its answer, or what the schema describes. */
  readonly generate: <const S extends Schema | undefined = undefined>(question: Question<S>) => Promise<Answer<S>>
  /** Pauses the run until a person has answered. Fails if the person declines. */
  readonly pause: <const S extends Schema | undefined = undefined>(options: PauseOptions<S>) => Promise<Answer<S>>
  /** Has an effect of its own, and keeps its result, which must be JSON. */
  readonly step: <A extends Kept>(
    name: string,
    run: (context: StepContext) => Returned<A>,
    options?: StepOptions
  ) => Promise<A>
  /** Pauses the run for a time. */
  readonly sleep: (duration: Duration.Input) => Promise<void>
  /** Pauses the run until a client sends what it waits for. Undefined: the time is over. */
  readonly waitFor: <const S extends Schema | undefined = undefined>(
    event: string,
    options?: WaitOptions<S>
  ) => Promise<Sent<S> | undefined>
  /** The same calls as Effects. */
  readonly asEffect: DurableEffects
}
