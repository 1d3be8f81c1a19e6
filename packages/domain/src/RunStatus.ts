// The status of a run and its transitions, as one table. Stores, the run service and the tests of stores derive from it
// what a run in a status allows.
import { Schema } from "effect"

export const Status = Schema.Literals([
  "PENDING",
  "RUNNING",
  "COMPLETED",
  "PAUSED",
  "CANCELLED",
  "ERROR",
  "REGENERATED"
])
export type Status = typeof Status.Type

/** `supersede`: a new run replaces it. `takeOver`: its lease is acquired again, by another node or by the same one. */
export type Transition =
  | "dequeue"
  | "takeOver"
  | "complete"
  | "pause"
  | "fail"
  | "cancel"
  | "continue"
  | "supersede"

export type Transitions = Readonly<Record<Status, Partial<Readonly<Record<Transition, Status>>>>>

/** A transition that is missing is refused, and the run stays as it is. */
export const transitions: Transitions = {
  PENDING: { dequeue: "RUNNING", takeOver: "PENDING", fail: "ERROR", cancel: "CANCELLED" },
  RUNNING: {
    takeOver: "RUNNING",
    complete: "COMPLETED",
    pause: "PAUSED",
    fail: "ERROR",
    cancel: "CANCELLED"
  },
  PAUSED: { continue: "RUNNING", cancel: "CANCELLED", supersede: "REGENERATED" },
  ERROR: { continue: "RUNNING", supersede: "REGENERATED" },
  COMPLETED: { supersede: "REGENERATED" },
  CANCELLED: { supersede: "REGENERATED" },
  REGENERATED: {}
}

export const next = (status: Status, transition: Transition): Status | undefined => transitions[status][transition]

/** The statuses in which a run allows a transition. */
export const allowing = (transition: Transition): ReadonlyArray<Status> =>
  Status.literals.filter((status) => next(status, transition) !== undefined)

const over = (transition: Transition) => {
  const statuses = new Set<Status>(allowing(transition))
  return (status: Status): boolean => statuses.has(status)
}

/** Whether it is executed or queued: a node holds its lease, or acquires it. */
export const isActive = over("takeOver")

/** The statuses of runs that are executed or queued. */
export const active = allowing("takeOver")

const isCancellable = over("cancel")

/** Whether it is neither active nor paused. A failed run has ended, though a request can continue it. */
export const hasEnded = (status: Status): boolean => !isCancellable(status)

/** Whether it can be resumed by a request. Its journal is kept for that. */
export const isContinuable = over("continue")
