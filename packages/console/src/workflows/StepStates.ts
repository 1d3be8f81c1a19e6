// Which steps of a workflow a run has reached, from its events.
export type StepState = "executing" | "completed" | "failed" | "paused" | "cancelled"

interface Event {
  readonly event: string
  readonly step_name?: string
  readonly paused_step_name?: string
  /** Of a workflow inside of another one. */
  readonly nested_depth?: number
}

/** What the end of a workflow makes of a step that executes. */
const ends: Readonly<Record<string, StepState>> = { WorkflowError: "failed", WorkflowCancelled: "cancelled" }

const endings: ReadonlyArray<readonly [pattern: RegExp, state: StepState]> = [
  [/^(Step|\w+Execution)Started$|^(StepContinued|StepExecutorContinued)$/, "executing"],
  [/^(Step|\w+Execution)Completed$/, "completed"],
  [/^StepError$/, "failed"],
  [/^(Step|Router|StepExecutor)Paused$|^StepOutputReview$/, "paused"]
]

/** Later events replace the states of earlier ones: a step of a loop is executed several times. */
export const statesOf = (events: Iterable<Event>): ReadonlyMap<string, StepState> => {
  const states = new Map<string, StepState>()
  for (const { event, nested_depth: depth = 0, paused_step_name, step_name } of events) {
    const state = endings.find(([pattern]) => pattern.test(event))?.[1]
    if (state !== undefined && step_name !== undefined) states.set(step_name, state)
    const end = depth === 0 ? ends[event] : undefined
    if (end !== undefined) {
      for (const [name, state] of states) if (state === "executing") states.set(name, end)
    }
    if (event === "WorkflowPaused" && paused_step_name !== undefined) states.set(paused_step_name, "paused")
  }
  return states
}
