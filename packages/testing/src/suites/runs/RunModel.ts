// What a run is and what may become of it, as data: the contract's table of statuses, with the hands that a run goes
// through. It knows nothing of how runs are kept, and is what every store is held against.
import type { Run } from "@svc/domain"

/** What is done to a run. `stale` is said by somebody who has lost it. */
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
  /** Raised each time that the run changes hands. */
  readonly attempt: number
  readonly hands: "own" | "nobody" | "other"
  /** Entries of its journal. */
  readonly entries: number
  readonly isCancelRequested: boolean
}

export const nothing: Model = { status: "none", attempt: 0, hands: "nobody", entries: 0, isCancelRequested: false }

type Change = (model: Model) => Partial<Model>

const held = ({ attempt }: Model) => ({ attempt: attempt + 1, hands: "own" as const })
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
    "hand over": ["RUNNING", () => ({ hands: "nobody" })],
    "take over": ["RUNNING", ({ attempt }) => ({ attempt: attempt + 1, hands: "other" })],
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

/** Whose hands it takes. */
const isPossible = ({ hands, status }: Model, command: Command): boolean => {
  if (status !== "RUNNING") return true
  switch (command) {
    // whoever starts again takes its own, and what nobody has
    case "restart":
      return hands !== "other"
    case "hand over":
      return hands === "own"
    // what is nobody's; those who hold the others are alive
    case "take over":
      return hands === "nobody"
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
