// What works in the background for a conversation. It is read only if a call of the conversation has started something.
import { useEffect } from "preact/hooks"
import { href } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import type { Conversation } from "./Conversation.ts"
import type { Part, Turn } from "./Turn.ts"

/** Milliseconds after which unfinished tasks are read again. */
const rereading = 3000

type Tasks = Awaited<ReturnType<ReturnType<typeof svc>["backgroundTasks"]["list"]>>["data"]

const started = (part: Part): boolean =>
  part.type === "activity"
    ? part.parts.some(started)
    : part.type === "call" && part.tool.result?.includes("\"task_id\"") === true

/** How many calls may have started a task. */
export const startedIn = (turns: ReadonlyArray<Turn>): number =>
  turns.reduce((count, { root }) => count + root.parts.filter(started).length, 0)

const states: Readonly<Record<Tasks[number]["status"], string>> = {
  PENDING: "waits for its turn",
  RUNNING: "is working",
  PAUSED: "waits for a person",
  COMPLETED: "has completed",
  ERROR: "has failed",
  CANCELLED: "was cancelled"
}

interface Props {
  readonly conversation: Conversation
  readonly session: string
  /** How many calls may have started a task. */
  readonly count: number
}

const List = ({ conversation, count, session }: Props) => {
  const { value: tasks = [] } = useLoaded<Tasks>(
    async (signal) => (await svc().backgroundTasks.list(session, { limit: 20 }, { signal })).data,
    [session, count],
    { every: (tasks) => tasks?.some(({ ended_at }) => ended_at === null) === true ? rereading : undefined }
  )
  const results = tasks.flatMap(({ result_run_id }) => result_run_id ?? []).join()
  useEffect(() => {
    if (results === "") return
    const control = new AbortController()
    // the next reading of the tasks, or of the conversation, shows what this one could not
    conversation.join(results.split(",").toReversed(), control.signal).catch(() => undefined)
    return () => control.abort()
  }, [conversation, results])
  return tasks.length === 0 ? null : (
    <details class="quiet" open={tasks.some(({ ended_at }) => ended_at === null)}>
      <summary>Background tasks</summary>
      <ul aria-label="Background tasks">
        {tasks.map(({ component_id, input, run_id, run_session_id, status, task_id }) => (
          <li key={task_id}>
            <a href={href(["runs", run_id], { session: run_session_id })}>{component_id}</a> {states[status]}:{" "}
            <span class="cut">{input}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

export const BackgroundTasks = ({ conversation, count }: Pick<Props, "conversation" | "count">) => {
  const session = conversation.session.value
  return session === undefined || !may("sessions:read") || count === 0
    ? null
    : <List conversation={conversation} count={count} session={session} />
}
