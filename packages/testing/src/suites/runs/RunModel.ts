// What a run is and what can become of it, as data: the contract's table of statuses, with the holder of the lease.
// It does not depend on how runs are stored: the suites hold every store to it.
import type { Run } from "@svc/domain"

/** What is done to a run. `stale` is a write under an attempt that was lost. */
export type Command =
  | "begin"
  | "step"
  | "complete"
  | "pause"
  | "fail"
  | "cancelled"
  | "continue"
  | "restart"
  | "hand over"
  | "take over"
  | "stale step"
  | "stale end"
  | "stale continue"
  | "ask for its end"
  | "give anew"

export type Status = Run.Status | "none"

export const commands: ReadonlyArray<Command> = [
  "begin",
  "step",
  "complete",
  "pause",
  "fail",
  "cancelled",
  "continue",
  "restart",
  "hand over",
  "take over",
  "stale step",
  "stale end",
  "stale continue",
  "ask for its end",
  "give anew"
]

export interface Model {
  readonly status: Status
  /** Raised each time that the run changes its node or resumes. */
  readonly attempt: number
  readonly holder: "own" | "none" | "other"
  /** Entries of its journal. */
  readonly entries: number
  readonly isCancelRequested: boolean
}

export const nothing: Model = { status: "none", attempt: 0, holder: "none", entries: 0, isCancelRequested: false }

type Change = (model: Model) => Partial<Model>

const held = ({ attempt }: Model) => ({ attempt: attempt + 1, holder: "own" as const })
const over = { entries: 0 }

/** What is not here is not possible: it is refused, and changes nothing. */
const table: Readonly<Record<Status, Partial<Readonly<Record<Command, readonly [to: Status, change?: Change]>>>>> = {
  none: { begin: ["RUNNING", held] },
  PENDING: {},
  RUNNING: {
    step: ["RUNNING", ({ entries }) => ({ entries: entries + 1 })],
    complete: ["COMPLETED", () => over],
    pause: ["PAUSED"],
    fail: ["ERROR"],
    cancelled: ["CANCELLED", () => over],
    restart: ["RUNNING", held],
    "hand over": ["RUNNING", () => ({ holder: "none" })],
    "take over": ["RUNNING", ({ attempt }) => ({ attempt: attempt + 1, holder: "other" })],
    "ask for its end": ["RUNNING", () => ({ isCancelRequested: true })]
  },
  PAUSED: {
    continue: ["RUNNING", (model) => ({ ...held(model), entries: model.entries + 1 })],
    "ask for its end": ["PAUSED", () => ({ isCancelRequested: true })],
    "give anew": ["REGENERATED"]
  },
  ERROR: {
    continue: ["RUNNING", (model) => ({ ...held(model), entries: model.entries + 1 })],
    "give anew": ["REGENERATED"]
  },
  COMPLETED: { "give anew": ["REGENERATED"] },
  CANCELLED: { "give anew": ["REGENERATED"] },
  REGENERATED: {}
}

/** Whether the holder of the lease allows it. */
const isPossible = ({ holder, status }: Model, command: Command): boolean => {
  if (status !== "RUNNING") return true
  switch (command) {
    // a node that starts again acquires its own runs, and those without a node
    case "restart":
      return holder !== "other"
    case "hand over":
      return holder === "own"
    // only runs without a node: those of the others are alive
    case "take over":
      return holder === "none"
    default:
      return true
  }
}

/** What becomes of a run, and whether anything does. */
export const apply = (model: Model, command: Command): { readonly next: Model; readonly isDone: boolean } => {
  const transition = isPossible(model, command) ? table[model.status][command] : undefined
  if (transition === undefined) return { next: model, isDone: false }
  const [status, change] = transition
  return { next: { ...model, ...change?.(model), status }, isDone: true }
}
