// The push notification configs of tasks.
import * as Run from "@svc-runtime/domain/Run"
import { NewId } from "@svc-runtime/engine/NewId"
import * as PushJob from "@svc-runtime/features/taskPush/PushJob"
import { RoutedTaskPushes } from "@svc-runtime/features/taskPush/RoutedTaskPushes"
import { isSame, maxPerRun, type StoredTaskPush, TaskPushesFull } from "@svc-runtime/features/taskPush/TaskPush"
import { CallSender } from "@svc-runtime/http/calls/CallSender"
import { storageUnavailable } from "@svc-runtime/http/wire/WireErrors"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import type { PushConfig, StoredPushConfig } from "@svc-runtime/protocols/a2a/Operation"
import type { Version } from "@svc-runtime/protocols/a2a/Version"
import { Effect, Option } from "effect"
import type { Target } from "./Target.ts"
import type { TaskRun } from "./TaskRuns.ts"

const unavailable = (error: Parameters<typeof storageUnavailable>[0]) =>
  Effect.fail(A2aError.make("UNAVAILABLE", storageUnavailable(error).detail))

/** Without its secrets, which only the request that made it has. */
const shown = ({ id, run_id, scheme, url }: StoredTaskPush): StoredPushConfig => ({
  taskId: run_id,
  id,
  url,
  ...(scheme === null ? {} : { authentication: { scheme } })
})

const made = (push: StoredTaskPush): StoredPushConfig => {
  const { credentials, scheme, token } = push
  return {
    ...shown(push),
    ...(token === null ? {} : { token }),
    ...(scheme === null ? {} : { authentication: { scheme, ...(credentials === null ? {} : { credentials }) } })
  }
}

const pushOf = (task: string, id: string, { authentication, token, url }: PushConfig, version: Version) => ({
  run_id: Run.Id.make(task),
  id,
  version,
  url,
  token: token ?? null,
  scheme: authentication?.scheme ?? null,
  credentials: authentication?.credentials ?? null
})

const refOf = ({ caller: { owner }, component }: Target) => ({ component, owner })

const missing = A2aError.make("TASK_NOT_FOUND", "The task has no such push notification config")

const makeOf = Effect.fnUntraced(function*(pushes: RoutedTaskPushes["Service"]) {
  const { check } = yield* CallSender

  const list = (target: Target, task: string) =>
    pushes.list(refOf(target), Run.Id.make(task)).pipe(Effect.catchTag("StorageUnavailable", unavailable))

  const set = Effect.fnUntraced(function*(target: Target, task: string, config: PushConfig, version: Version) {
    const push = pushOf(task, config.id ?? (yield* NewId)(), config, version)
    const stored = yield* pushes.put(refOf(target), push, PushJob.enqueued).pipe(
      Effect.catchTags({
        StorageUnavailable: unavailable,
        TaskPushesFull: ({ message }) => Effect.fail(A2aError.make("INVALID_PARAMS", message)),
        JobInvalid: Effect.die
      })
    )
    return Option.isSome(stored) ? made(stored.value) : yield* A2aError.make("TASK_NOT_FOUND")
  })

  const sameIn = (found: ReadonlyArray<StoredTaskPush>, task: string, config: PushConfig, version: Version) =>
    found.find((push) => push.id === (config.id ?? push.id) && isSame(push, pushOf(task, push.id, config, version)))

  return {
    /** Refuses an address that may not be called. */
    check: ({ url }: PushConfig) =>
      Effect.mapError(
        check(url),
        ({ message }) => A2aError.make("INVALID_PARAMS", `The address is refused: ${message}`)
      ),
    /** Refuses one config too many before its message continues the task. */
    checkRoom: Effect.fnUntraced(function*(target: Target, task: string, config: PushConfig, version: Version) {
      const found = yield* list(target, task)
      if (found.length < maxPerRun || found.some(({ id }) => id === config.id)) return
      if (sameIn(found, task, config, version) !== undefined) return
      return yield* A2aError.make("INVALID_PARAMS", new TaskPushesFull().message)
    }),
    set,
    /** For one of several messages of a task. Messages that carry the same config without an id have one. */
    setOnce: Effect.fnUntraced(
      function*(target: Target, { isRepeated, run: { run_id: task } }: TaskRun, config: PushConfig, version: Version) {
        const found = yield* list(target, task)
        const same = sameIn(found, task, config, version)
        // the service can have been killed after the config was stored, before it was called
        const isMissing = found.length === 0 || (same === undefined ? !isRepeated : isRepeated)
        if (isMissing) yield* set(target, task, { ...config, ...(same === undefined ? {} : { id: same.id }) }, version)
      }
    ),
    list: (target: Target, task: string) => Effect.map(list(target, task), (found) => found.map(shown)),
    /** The first one, without an id. */
    get: Effect.fnUntraced(function*(target: Target, task: string, id: string | undefined) {
      const found = (yield* list(target, task)).find((push) => id === undefined || push.id === id)
      return found === undefined ? yield* missing : shown(found)
    }),
    /** One that is removed already is removed. */
    remove: (target: Target, task: string, id: string) =>
      pushes.remove(refOf(target), Run.Id.make(task), id).pipe(Effect.catchTag("StorageUnavailable", unavailable))
  }
})

export type Pushes = Effect.Success<ReturnType<typeof makeOf>>

const unsupported = () => Effect.fail(A2aError.make("PUSH_NOTIFICATION_NOT_SUPPORTED"))

/** Of a service without the feature. */
const none: Pushes = {
  check: unsupported,
  checkRoom: unsupported,
  set: unsupported,
  setOnce: unsupported,
  list: unsupported,
  get: unsupported,
  remove: unsupported
}

export const make = Effect.flatMap(
  Effect.serviceOption(RoutedTaskPushes),
  Option.match({ onNone: () => Effect.succeed(none), onSome: makeOf })
)
