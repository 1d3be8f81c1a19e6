// A process among the workers of a service (WORKERS): processes of one machine that share a port and a database. Each
// is a node of its own.
import { Context, Effect, type Redacted, type Scope } from "effect"
import type * as Json from "./Json.ts"

export interface Answer {
  readonly worker: number
  readonly answer: Json.Value
}

/** The other workers of the service, which can be asked what only their memory has. */
export interface Peers {
  /** Asks all others. One that does not answer within a second is left out. */
  readonly ask: (topic: string, question: Json.Value) => Effect.Effect<ReadonlyArray<Answer>>
  /** Answers what others ask, until the scope is closed. */
  readonly answer: (
    topic: string,
    answerOf: (question: Json.Value) => Effect.Effect<Json.Value>
  ) => Effect.Effect<void, never, Scope.Scope>
}

export interface Worker {
  /** From 1 on. A worker that replaces another one has its number. */
  readonly number: number
  readonly count: number
  /** Whether others serve when it starts. */
  readonly joins: boolean
  /** With which the service calls itself: any worker may get the request. */
  readonly internalToken: Redacted.Redacted
  readonly peers: Peers
}

export interface Process {
  /** Undefined: the service has one process. */
  readonly worker: Worker | undefined
  /** Ends a process that does not stop: a database that does not reply can delay its end without limit. */
  readonly end: Effect.Effect<void>
}

/** Only `serve` owns the process. An application that another program launches has no workers, and ends no process. */
export const CurrentProcess = Context.Reference<Process>("@svc-runtime/domain/Worker/CurrentProcess", {
  defaultValue: () => ({ worker: undefined, end: Effect.void })
})

export const currentWorker: Effect.Effect<Worker | undefined> = Effect.map(CurrentProcess, ({ worker }) => worker)

/** A service with one process has none. */
export const currentPeers: Effect.Effect<Peers> = Effect.map(
  currentWorker,
  (worker) => worker?.peers ?? { ask: () => Effect.succeed([]), answer: () => Effect.void }
)

/** The share of one worker in a limit that protects the machine or a secret. */
export const shareOf = (worker: Worker | undefined, limit: number): number => Math.ceil(limit / (worker?.count ?? 1))
