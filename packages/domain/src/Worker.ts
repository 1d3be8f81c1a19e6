// A process among the workers of a service (WORKERS): processes of one machine that share a port and a database. Each
// is a node of its own.
import { Context, type Redacted } from "effect"

export interface Worker {
  /** From 1 on. A worker that replaces another one has its number. */
  readonly number: number
  readonly count: number
  /** Whether others serve when it starts. */
  readonly joins: boolean
  /** With which the service calls itself: any worker may get the request. */
  readonly internalToken: Redacted.Redacted
}

/** Undefined: the service has one process. */
export const CurrentWorker = Context.Reference<Worker | undefined>("@svc-runtime/domain/Worker", {
  defaultValue: () => undefined
})

/** The share of one worker in a limit that protects the machine or a secret. */
export const shareOf = (worker: Worker | undefined, limit: number): number => Math.ceil(limit / (worker?.count ?? 1))
