// What stands around a function that makes durable calls: the run of its tool, or the workflow of its step.
import type * as Json from "@svc-runtime/domain/Json"
import { Clock, Data, Duration, Effect, type Option } from "effect"
import type { ExecutionLease } from "../node/ExecutionLease.ts"
import { described } from "../userCode/Mistake.ts"
import * as Durable from "./Durable.ts"
import type * as DurableJournal from "./DurableJournal.ts"

export const failed = (kind: string, message: string) => new Durable.CallFailed({ kind, message })

/** What no run can be made of. Authors can give anything. */
export const notRunnable = (owner: string, given: unknown) => {
  const todo = typeof given === "string" ? ". Give it the component itself" : ""
  return failed(
    "TypeError",
    `${owner}: run() takes an agent, a team or a workflow, and was given ${described(given)}${todo}`
  )
}

/** A person has refused to answer. */
export const declined = (reason: string | null | undefined) =>
  failed("Declined", reason ?? "A person has declined the question")

/** What is left of a time that has begun. */
export const remaining = (length: Duration.Duration, since: number): Effect.Effect<Duration.Duration> =>
  Effect.map(Clock.currentTimeMillis, (now) => Duration.millis(Math.max(0, since + Duration.toMillis(length) - now)))

/** A call that cannot end yet. */
export class Waits<W> extends Data.TaggedError("DurableCallWaits")<{ readonly wait: W }> {}

/** What a function gives instead of a result when its calls wait. */
export class Suspension<W> extends Data.Class<{ readonly waits: ReadonlyArray<W> }> {}

/** What a person is asked. */
export interface PersonQuestion {
  readonly message: string
  /** Of an object. */
  readonly schema: Json.Object
}

export interface Awaited {
  /** Left out: it waits for a time only. */
  readonly event?: string | undefined
  readonly message: string
  /** Of what is sent. */
  readonly schema?: Json.Object | undefined
  /** Epoch milliseconds. Left out: it waits forever. */
  readonly until?: number | undefined
}

type Performed<A, W> = Effect.Effect<A, Durable.CallFailed | Waits<W>>

/** The run around the function. `key` names a call: it is the same when the function is repeated. */
export interface Host<W> {
  /** For messages, such as `Tool 'book'`. */
  readonly owner: string
  readonly effectId: string
  readonly journal: DurableJournal.DurableJournal
  readonly underLease: ExecutionLease["act"]
  /** Called before the function is executed. */
  readonly begin?: () => void
  /** Ends the run that a call has started, or those of all calls. Called before they are interrupted. */
  readonly cancel?: (reason: string, key?: string) => void
  /** Repeats what a run that has ended has changed in the session state. */
  readonly restore?: (key: string) => void
  /** `at`: when the call was made first. The timeout counts from there. */
  readonly run: (
    key: string,
    component: Durable.Component,
    input: Json.Value,
    options: Durable.RunOptions,
    at: number
  ) => Performed<Durable.RunAnswer, W>
  readonly generate: (key: string, question: Durable.Question<Durable.Schema | undefined>) => Performed<Json.Value, W>
  /** The values of a person. They are asked for again in each round. */
  readonly ask: (key: string, round: number, question: PersonQuestion) => Performed<Json.Object, W>
  /** None: the time is over. */
  readonly wait: (key: string, round: number, awaited: Awaited) => Performed<Option.Option<Json.Value>, W>
}
