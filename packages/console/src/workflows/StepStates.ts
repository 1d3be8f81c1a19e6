// Which steps of a workflow a run has reached, from its events.
export type StepState = "executing" | "completed" | "failed" | "paused" | "cancelled"

interface Event {
  readonly event: string
  readonly step_name?: string
  readonly step_index?: number | ReadonlyArray<number>
  readonly parallel_step_count?: number
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

/** By the name of the step: how many items it is executed for, or for how many places and items it is completed. */
export const countsOf = (events: Iterable<Event>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  const completed = new Map<string, Set<string>>()
  for (const { event, parallel_step_count: items, step_index: index, step_name: name } of events) {
    if (name === undefined) continue
    if (event === "ParallelExecutionStarted" && items !== undefined) counts.set(name, items)
    if (event !== "StepCompleted") continue
    const places = completed.get(name) ?? new Set()
    completed.set(name, places.add(JSON.stringify(index)))
    counts.set(name, places.size)
  }
  return counts
}
