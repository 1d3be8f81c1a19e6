// The tools with which a model looks at its background tasks and cancels them. It gets them with its first component
// that works in the background.
import { given } from "@svc-runtime/agents/agent/execute/RunPart"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Context, Effect, Option, Schema } from "effect"
import * as BackgroundTask from "./BackgroundTask.ts"
import type { BackgroundTaskStore } from "./BackgroundTaskStore.ts"

export interface Tasks {
  readonly session_id: Session.Id
  readonly store: BackgroundTaskStore["Service"]
  /** The tasks that are now being cancelled. */
  readonly cancel: (task_id: string) => Effect.Effect<ReadonlyArray<BackgroundTask.Stored>, StorageUnavailable>
}

/** Undefined where components are awaited. */
export class CurrentTasks extends Context.Service<CurrentTasks, Tasks | undefined>()(
  "@svc-runtime/features/backgroundTasks/BackgroundTools/CurrentTasks"
) {}

/** Tasks that a list shows, and characters of each result in it. */
const listed = 20
const listedResult = 200

const current = Effect.flatMap(
  given(CurrentTasks),
  (tasks) =>
    tasks === undefined
      ? Effect.fail(new Tool.ToolFailed({ message: "There are no background tasks in this run", cause: undefined }))
      : Effect.succeed(tasks)
)

const shown = ({ created_at, ended_at, result, status, task_id, tool_name }: BackgroundTask.BackgroundTask) => ({
  task_id,
  tool_name,
  status: status.toLowerCase(),
  created_at,
  ...(ended_at === null ? {} : { ended_at }),
  ...(result === null ? {} : { result })
})

const status = Tool.make({
  name: "task_status",
  description: "Shows one background task, or the latest ones of this session. Results come by themselves, so do not " +
    "call it repeatedly to wait",
  parameters: Schema.Struct({
    task_id: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200)))
  }),
  effects: "read",
  execute: ({ task_id }) =>
    Effect.gen(function*() {
      const { session_id, store } = yield* current
      if (task_id !== undefined) {
        const found = yield* store.find(BackgroundTask.Id.make(task_id))
        // a task of another session does not exist
        if (Option.isSome(found) && found.value.session_id === session_id) {
          return shown(BackgroundTask.toTask(found.value))
        }
        return yield* new Tool.ToolFailed({ message: `There is no task '${task_id}'`, cause: undefined })
      }
      const found = yield* store.list(session_id, Owner.anyone, { page: 1, limit: listed })
      return Option.getOrElse(found, () => ({ tasks: [] })).tasks.map((task) => {
        const { result } = task
        const short = result === null ? null : result.slice(0, listedResult).toWellFormed()
        return shown(BackgroundTask.toTask({ ...task, result: short }))
      })
    })
})

const cancel = Tool.make({
  name: "cancel_task",
  description: "Cancels a background task of this session. Its result does not come then",
  parameters: Schema.Struct({ task_id: Schema.String.check(Schema.isMaxLength(200)) }),
  effects: "idempotent",
  execute: ({ task_id }) =>
    Effect.gen(function*() {
      const tasks = yield* current
      const cancelled = yield* tasks.cancel(task_id)
      return cancelled.length > 0 ? "It is being cancelled." : "There is no unfinished task with this id."
    })
})

export const all: ReadonlyArray<Tool.Tool> = [status, cancel]
