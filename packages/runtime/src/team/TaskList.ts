// The tasks that a team in mode `tasks` has set itself in one run. Every change is in the team's journal before anybody is
// told of it, so a run that is gone on with finds its list as it was. A task waits for those that it depends on.
import type { RunEvent, TeamTask } from "@svc/domain"
import { Effect } from "effect"
import type { TeamJournal } from "./TeamJournal.ts"

export interface TaskList {
  readonly all: () => ReadonlyArray<TeamTask.Task>
  readonly find: (id: string) => TeamTask.Task | undefined
  /** Made once for a key, which names the call that wants it. */
  readonly create: (
    key: string,
    task: Pick<TeamTask.Task, "title" | "description" | "assignee" | "dependencies">
  ) => Effect.Effect<TeamTask.Task>
  readonly update: (
    id: string,
    change: Partial<Pick<TeamTask.Task, "status" | "assignee" | "result">>
  ) => Effect.Effect<void>
  /** Those that it waits for. */
  readonly openBefore: (task: TeamTask.Task) => ReadonlyArray<string>
  readonly reach: (summary: string) => Effect.Effect<void>
  /** What was said when the goal was reached. */
  readonly goal: () => string | undefined
}

const isOver = ({ status }: TeamTask.Task): boolean => status === "completed" || status === "failed"

/** Nothing is left that somebody could do. */
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

export const make = (journal: TeamJournal, emit: (payload: RunEvent.TeamPayload) => void): TaskList => {
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
    // the call that has changed it may be made again, after the service has stopped in between
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

  /** Tasks that wait for nothing any more can be done. */
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
      const { id, ...said } = task
      yield* write(key, task, { event: "TeamTaskCreated", task_id: id, ...said })
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
