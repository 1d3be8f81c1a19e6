// The other workers of the service (WORKERS), which can be asked what only their memory has.
import type * as Json from "@svc-runtime/domain/Json"
import { Context, Effect, type Scope } from "effect"

export interface Answer {
  readonly worker: number
  readonly answer: Json.Value
}

export interface Peers {
  /** Asks all others. One that does not answer within a second is left out. */
  readonly ask: (topic: string, question: Json.Value) => Effect.Effect<ReadonlyArray<Answer>>
  /** Answers what others ask, until the scope is closed. */
  readonly answer: (
    topic: string,
    answerOf: (question: Json.Value) => Effect.Effect<Json.Value>
  ) => Effect.Effect<void, never, Scope.Scope>
}

/** Of a service with one process. */
export const none: Peers = { ask: () => Effect.succeed([]), answer: () => Effect.void }

export const Peers = Context.Reference<Peers>("@svc-runtime/server/workers/Peers", { defaultValue: () => none })
