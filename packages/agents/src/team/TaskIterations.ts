// The iterations of a team in mode `tasks`: when its leader has finished and tasks are open, the leader is shown the
// list and called again.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { Effect } from "effect"
import type { InnerRunsJournal } from "../agent/execute/InnerRunsJournal.ts"
import * as TaskList from "./TaskList.ts"

export interface Options {
  readonly journal: InnerRunsJournal
  readonly list: TaskList.TaskList
  readonly maximum: number
  readonly emit: (payload: RunEvent.TeamPayload) => void
}

export const start = ({ emit, maximum: max_iterations }: Options, iteration: number): void =>
  emit({ event: "TeamTaskIterationStarted", iteration, max_iterations })

/** The message to a leader that has finished. Undefined if the team has finished. */
export const followUp = (options: Options) =>
  Effect.fnUntraced(function*() {
    const { emit, journal, list, maximum: max_iterations } = options
    const task_summary = TaskList.summaryOf(list)
    const goal = list.goal()
    emit({
      event: "TeamTaskStateUpdated",
      task_summary,
      goal_complete: TaskList.isDone(list),
      tasks: list.all(),
      ...(goal === undefined ? {} : { completion_summary: goal })
    })
    const { iteration } = journal
    emit({ event: "TeamTaskIterationCompleted", iteration, max_iterations, task_summary })
    if (TaskList.isDone(list) || iteration >= max_iterations) return undefined
    journal.iteration = iteration + 1
    start(options, journal.iteration)
    yield* journal.record({ kind: "iteration", iteration: journal.iteration })
    return `${task_summary}. Continue with the others, or say with mark_all_complete that the request is fulfilled.\n\n${
      TaskList.linesOf(list)
    }`
  })
