// Which steps of a workflow a run has reached, from its events.
export type StepState = "executing" | "completed" | "failed" | "paused"

interface Event {
  readonly event: string
  readonly step_name?: string
  readonly paused_step_name?: string
}

const endings: ReadonlyArray<readonly [pattern: RegExp, state: StepState]> = [
  [/^(Step|\w+Execution)Started$|^(StepContinued|StepExecutorContinued)$/, "executing"],
  [/^(Step|\w+Execution)Completed$/, "completed"],
  [/^StepError$/, "failed"],
  [/^(Step|Router|StepExecutor)Paused$|^StepOutputReview$/, "paused"]
]

/** Later events replace the states of earlier ones: a step of a loop is executed several times. */
export const statesOf = (events: Iterable<Event>): ReadonlyMap<string, StepState> => {
  const states = new Map<string, StepState>()
  for (const { event, paused_step_name, step_name } of events) {
    const state = endings.find(([pattern]) => pattern.test(event))?.[1]
    if (state !== undefined && step_name !== undefined) states.set(step_name, state)
    if (event === "WorkflowPaused" && paused_step_name !== undefined) states.set(paused_step_name, "paused")
  }
  return states
}
