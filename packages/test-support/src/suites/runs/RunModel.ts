// What a run is and what can become of it: the transitions of the domain, with the holder of the lease. It does not
// depend on how runs are stored: the suites hold every store to it.
import * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "@svc-runtime/domain/RunStatus"

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

/** What a command changes besides the status. */
const changes: Partial<Readonly<Record<Command, Change>>> = {
  begin: held,
  step: ({ entries }) => ({ entries: entries + 1 }),
  complete: () => over,
  cancelled: () => over,
  restart: held,
  "hand over": () => ({ holder: "none" }),
  "take over": ({ attempt }) => ({ attempt: attempt + 1, holder: "other" }),
  continue: (model) => ({ ...held(model), entries: model.entries + 1 }),
  "ask for its end": () => ({ isCancelRequested: true })
}

const transitions: Partial<Readonly<Record<Command, RunStatus.Transition>>> = {
  complete: "complete",
  pause: "pause",
  fail: "fail",
  cancelled: "cancel",
  restart: "takeOver",
  "take over": "takeOver",
  continue: "continue",
  "give anew": "supersede"
}

/** Written under a lease, which only an active run has. */
const leased: ReadonlyArray<Command> = ["step", "hand over", "complete", "pause", "fail", "cancelled"]

/** Undefined: the command is refused, and changes nothing. */
const statusAfter = (status: Status, command: Command): Status | undefined => {
  if (status === "none") return command === "begin" ? "RUNNING" : undefined
  if (leased.includes(command) && !Run.isActive(status)) return undefined
  if (command === "ask for its end") return RunStatus.next(status, "cancel") === undefined ? undefined : status
  if (command === "step" || command === "hand over") return status
  const transition = transitions[command]
  return transition === undefined ? undefined : RunStatus.next(status, transition)
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

/** What happens to a run, and whether anything does. */
export const apply = (model: Model, command: Command): { readonly next: Model; readonly isDone: boolean } => {
  const status = isPossible(model, command) ? statusAfter(model.status, command) : undefined
  if (status === undefined) return { next: model, isDone: false }
  return { next: { ...model, ...changes[command]?.(model), status }, isDone: true }
}
