// The tasks of one run of a team in mode `tasks`. Every change is journalled before it is shown, so a resumed run has
// the same list. A task waits for its dependencies.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamTask from "@svc-runtime/domain/TeamTask"
import { Effect } from "effect"
import type { InnerRunsJournal } from "../agent/execute/InnerRunsJournal.ts"

export interface TaskList {
  readonly all: () => ReadonlyArray<TeamTask.Task>
  readonly find: (id: string) => TeamTask.Task | undefined
  /** Created once per key, which identifies the call. */
  readonly create: (
    key: string,
    task: Pick<TeamTask.Task, "title" | "description" | "assignee" | "dependencies">
  ) => Effect.Effect<TeamTask.Task>
  readonly update: (
    id: string,
    change: Partial<Pick<TeamTask.Task, "status" | "assignee" | "result">>
  ) => Effect.Effect<void>
  /** Its open dependencies. */
  readonly openBefore: (task: TeamTask.Task) => ReadonlyArray<string>
  readonly reach: (summary: string) => Effect.Effect<void>
  /** The text with which the goal was declared reached. */
  readonly goal: () => string | undefined
}

const isOver = ({ status }: TeamTask.Task): boolean => status === "completed" || status === "failed"

/** No task can be executed. */
export const isDone = (list: TaskList): boolean => list.goal() !== undefined || list.all().every(isOver)

export const summaryOf = (list: TaskList): string => {
  const all = list.all()
  return `${all.filter(({ status }) => status === "completed").length} of ${all.length} tasks are completed`
}

export const linesOf = (list: TaskList): string =>
  list.all().map(({ assignee, dependencies, id, result, status, title }) =>
    [
      `${id} [${status}] ${title}`,
      ...(assignee === undefined ? [] : [`member: ${assignee}`]),
      ...(dependencies.length === 0 ? [] : [`after: ${dependencies.join(", ")}`]),
      ...(result === undefined ? [] : [`result: ${result}`])
    ].join("; ")
  ).join("\n")

export const make = (journal: InnerRunsJournal, emit: (payload: RunEvent.TeamPayload) => void): TaskList => {
  const { tasks } = journal

  const write = (key: string, task: TeamTask.Task, event: RunEvent.TeamPayload) => {
    tasks.set(key, task)
    emit(event)
    return journal.record({ kind: "task", key, task })
  }

  const entryOf = (id: string) => [...tasks].find(([, task]) => task.id === id)
  const all = () => [...tasks.values()]
  const openBefore = ({ dependencies }: Pick<TeamTask.Task, "dependencies">) =>
    dependencies.filter((id) => entryOf(id)?.[1].status !== "completed")

  const update: TaskList["update"] = Effect.fnUntraced(function*(id, change) {
    const entry = entryOf(id)
    if (entry === undefined) return
    const [key, before] = entry
    const task = { ...before, ...change }
    const { assignee, result, status, title } = task
    // the call that changed it can be repeated after a crash
    if (status !== before.status || result !== before.result || assignee !== before.assignee) {
      yield* write(key, task, {
        event: "TeamTaskUpdated",
        task_id: id,
        title,
        status,
        previous_status: before.status,
        ...(result === undefined ? {} : { result }),
        ...(assignee === undefined ? {} : { assignee })
      })
    }
    if (status === "completed") yield* release
  })

  /** Tasks without open dependencies can be executed. */
  const release: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(
      all().filter((task) => task.status === "blocked" && openBefore(task).length === 0),
      ({ id }) => update(id, { status: "pending" }),
      { discard: true }
    )
  )

  return {
    all,
    find: (id) => entryOf(id)?.[1],
    create: Effect.fnUntraced(function*(key, given) {
      const known = tasks.get(key)
      if (known !== undefined) return known
      const status = openBefore(given).length === 0 ? "pending" as const : "blocked" as const
      const task: TeamTask.Task = { id: `task_${tasks.size + 1}`, ...given, status }
      const { id, ...fields } = task
      yield* write(key, task, { event: "TeamTaskCreated", task_id: id, ...fields })
      return task
    }),
    update,
    openBefore,
    reach: Effect.fnUntraced(function*(summary) {
      journal.goal = summary
      yield* journal.record({ kind: "goal", summary })
    }),
    goal: () => journal.goal
  }
}
