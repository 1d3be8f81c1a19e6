// `BackgroundTaskStore` in memory, for services of tests.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Session from "@svc-runtime/domain/Session"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Layer, Option } from "effect"
import * as BackgroundTask from "./BackgroundTask.ts"
import { BackgroundTaskStore, type Cancelled, TooManyTasks } from "./BackgroundTaskStore.ts"

const isCancelled = (of: Cancelled) => (task: BackgroundTask.Stored): boolean => {
  if ("task_id" in of) return task.id === of.task_id && task.session_id === of.session_id
  return "user_id" in of
    ? task.user_id === of.user_id
    : task.parent_run_id === of.parent_run_id && !task.is_detached
}

const make = Effect.gen(function*() {
  const [jobs, sessions] = [yield* JobStore, yield* SessionStore]
  const tasks = new Map<string, BackgroundTask.Stored>()

  /** The tasks of a session go with it. */
  const isPresent = (session_id: Session.Id, owner: Owner.Owner = Owner.anyone) =>
    Effect.map(sessions.find(session_id, owner), Option.isSome)

  const unfinished = () => [...tasks.values()].filter(({ status }) => !BackgroundTask.isEnded(status))

  const change = (id: string, fields: Partial<BackgroundTask.Stored>) =>
    Effect.sync(() => {
      const task = tasks.get(id)
      if (task !== undefined && !BackgroundTask.isEnded(task.status)) tasks.set(id, { ...task, ...fields })
    })

  return BackgroundTaskStore.of({
    begin: Effect.fnUntraced(function*(task, job, limit) {
      if (!(yield* isPresent(task.session_id))) return Option.none()
      const known = [...tasks.values()].find(({ key }) => key === task.key)
      if (known !== undefined) return Option.some(known)
      const others = unfinished().filter(({ session_id }) => session_id === task.session_id)
      if (others.length >= limit) return yield* new TooManyTasks({ limit })
      const state = { status: "PENDING", is_cancel_requested: false, is_delivered: false } as const
      const stored: BackgroundTask.Stored = { ...task, ...state, result: null, ended_at: null }
      tasks.set(task.id, stored)
      yield* jobs.enqueue(job)
      return Option.some(stored)
    }),
    find: Effect.fnUntraced(function*(id) {
      const task = tasks.get(id)
      return task !== undefined && (yield* isPresent(task.session_id)) ? Option.some(task) : Option.none()
    }),
    list: Effect.fnUntraced(function*(session_id, owner, page) {
      if (!(yield* isPresent(session_id, owner))) return Option.none()
      const found = [...tasks.values()].filter((task) => task.session_id === session_id).reverse()
      return Option.some({ tasks: Pagination.slice(page, found), total: found.length })
    }),
    note: (id, status) => change(id, { status }),
    finish: (id, { at, is_delivered, result, status }) => change(id, { status, result, is_delivered, ended_at: at }),
    requestCancel: (of) =>
      Effect.sync(() =>
        unfinished().filter(isCancelled(of)).map((task) => {
          const cancelled = { ...task, is_cancel_requested: true }
          tasks.set(task.id, cancelled)
          return cancelled
        })
      )
  })
})

export const layer: Layer.Layer<BackgroundTaskStore, never, JobStore | SessionStore> = Layer.effect(
  BackgroundTaskStore,
  make
)
