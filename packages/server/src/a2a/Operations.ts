// Executes the operations of the protocol, whichever wire they come from.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import { now } from "@svc-runtime/engine/now"
import type { FoundRun } from "@svc-runtime/engine/run/store/RunReads"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import { isEnded, type Message, timestamp } from "@svc-runtime/protocols/a2a/Model"
import type { Operation, PushConfig, Reply, Sending } from "@svc-runtime/protocols/a2a/Operation"
import * as Origin from "@svc-runtime/protocols/a2a/Origin"
import * as Tasks from "@svc-runtime/protocols/a2a/Tasks"
import type { Version } from "@svc-runtime/protocols/a2a/Version"
import { Effect, Option } from "effect"
import type { Cards } from "./Cards.ts"
import { toA2a } from "./failures.ts"
import type { Pushes } from "./Pushes.ts"
import type { Target } from "./Target.ts"
import * as TaskItems from "./TaskItems.ts"
import type * as TaskReading from "./TaskReading.ts"
import type * as TaskRuns from "./TaskRuns.ts"

export type Outcome = Reply | { readonly _tag: "Items"; readonly items: TaskItems.Items }

export interface Dependencies {
  readonly service: RunService["Service"]
  readonly cards: Cards
  readonly pushes: Pushes
  readonly tasks: TaskReading.TaskReading
  readonly runs: TaskRuns.TaskRuns
}

/** How long a cancelled task is waited for. */
const cancelTimeout = "5 seconds"

const gone = A2aError.make("TASK_NOT_FOUND")

const whole: Tasks.Shown = { hasArtifacts: true }

export const make = ({ cards, pushes, runs, service, tasks }: Dependencies) => {
  const taskOf = Effect.fnUntraced(
    function*(run: AnyRun.Output, task: Pick<TaskRuns.TaskRun, "metadata">, shown: Tasks.Shown) {
      return Tasks.of({ run, metadata: run.metadata ?? task.metadata, updated_at: yield* now }, shown)
    }
  )

  const startOf = Effect.fnUntraced(function*(task: TaskRuns.TaskRun, historyLength: number | undefined) {
    const { history, metadata, run } = task
    return {
      taskId: run.run_id,
      contextId: run.session_id,
      // events have seconds: a task must not be newer than its first change
      at: (yield* now) * 1000,
      history: Tasks.latest(history, historyLength),
      metadata: Origin.without(metadata)
    }
  })

  const accepted = Effect.fnUntraced(function*(task: TaskRuns.TaskRun, historyLength: number | undefined) {
    const { at, contextId, history, taskId } = yield* startOf(task, historyLength)
    const shown: ReadonlyArray<Message> = history
    const state = task.isContinued ? "TASK_STATE_WORKING" : "TASK_STATE_SUBMITTED"
    const reply: Reply = {
      _tag: "Sent",
      task: {
        id: taskId,
        contextId,
        status: { state, timestamp: timestamp(at) },
        ...(shown.length === 0 ? {} : { history: shown })
      }
    }
    return reply
  })

  /** Executes the message, and sends the changes of its task where the message or an earlier request says. */
  const execute = Effect.fnUntraced(function*(target: Target, sending: Sending, version: Version, stream: boolean) {
    const { push } = sending
    const id = yield* runs.idFor(sending)
    if (push !== undefined) {
      yield* tasks.permit(target, id, "watch")
      yield* pushes.check(push)
    }
    const check = push === undefined ? Effect.void : pushes.checkRoom(target, id, push, version)
    const task = yield* runs.execute(target, sending, { id, stream, isOnce: true, check })
    if (push === undefined) return task
    yield* task.isContinued || task.isRepeated
      ? pushes.setOnce(target, task, push, version)
      : pushes.set(target, task.run.run_id, push, version)
    return task
  })

  const get = Effect.fnUntraced(function*(
    target: Target,
    id: string,
    historyLength: number | undefined,
    partOf?: "start"
  ) {
    const found = yield* tasks.find(target, id, partOf)
    return yield* tasks.read(target, found, { historyLength, hasArtifacts: true }, partOf)
  })

  const send = Effect.fnUntraced(function*(target: Target, sending: Sending, version: Version) {
    const { historyLength, isBlocking } = sending
    const task = yield* execute(target, sending, version, !isBlocking)
    if (!isBlocking && task.isRepeated) {
      return { _tag: "Sent", task: yield* get(target, task.run.run_id, historyLength, "start") } as const
    }
    if (!isBlocking) return yield* accepted(task, historyLength)
    const output = yield* toA2a(task.output)
    if (Option.isNone(output)) return yield* gone
    // a failed run has its reason among its stored events
    if (output.value.status === "ERROR") {
      return { _tag: "Sent", task: yield* get(target, output.value.run_id, historyLength, "start") } as const
    }
    const reply: Reply = {
      _tag: "Sent",
      task: yield* taskOf(output.value, task, { historyLength, hasArtifacts: true })
    }
    return reply
  })

  const stream = Effect.fnUntraced(function*(target: Target, sending: Sending, version: Version) {
    const task = yield* execute(target, sending, version, true)
    const ended = Effect.flatMap(
      task.output,
      Option.match({
        onNone: () => Effect.die(gone),
        onSome: (run) => taskOf(run, task, whole)
      })
    )
    const start = yield* startOf(task, sending.historyLength)
    const { before, events, isActive } = task
    return { _tag: "Items", items: TaskItems.make({ start, before, isActive, events, ended }) } as const
  })

  /** The task when its run has ended or paused. */
  const endedTask = Effect.fnUntraced(
    function*({ caller, component }: Target, { metadata, run_id, session_id }: FoundRun) {
      const run = yield* toA2a(service.output({ caller, component, run_id, session_id }))
      return yield* taskOf(run, { metadata: metadata ?? {} }, whole)
    }
  )

  const cancel = Effect.fnUntraced(function*(target: Target, id: string) {
    const found = yield* tasks.find(target, id)
    const { caller, component } = target
    const { run_id, session_id, status } = found
    if (Run.hasEnded(status)) return yield* A2aError.make("TASK_NOT_CANCELABLE")
    yield* toA2a(service.cancel({ caller, component, run_id, session_id }))
    const ended = yield* Effect.timeoutOption(endedTask(target, found), cancelTimeout)
    const task = Option.isSome(ended) ? ended.value : yield* get(target, id, undefined)
    return task.status.state === "TASK_STATE_COMPLETED" || task.status.state === "TASK_STATE_FAILED"
      ? yield* A2aError.make("TASK_NOT_CANCELABLE")
      : task
  })

  /** Until the task ends, or asks. Of a task that asks already: until it ends, or asks again. */
  const subscribe = Effect.fnUntraced(function*(target: Target, id: string, version: Version) {
    const found = yield* tasks.find(target, id, "watch")
    const { metadata, run_id, session_id, status } = found
    const isPaused = status === "PAUSED"
    if (Run.hasEnded(status) || (isPaused && version !== "1.0")) {
      if (version === "1.0") return yield* A2aError.make("UNSUPPORTED_OPERATION", "The task has ended: nothing follows")
      const task = yield* tasks.read(target, found, whole, "watch")
      return { _tag: "Items", items: TaskItems.one({ task }) } as const
    }
    const { caller, component } = target
    const watched = yield* runs.watch(target, found)
    const first = isPaused ? yield* tasks.read(target, found, whole, "watch") : undefined
    if (first !== undefined && isEnded(first.status.state)) {
      return { _tag: "Items", items: TaskItems.one({ task: first }) } as const
    }
    const run = yield* toA2a(service.get({ caller, component, partOf: "watch", run_id, session_id }))
    const start = {
      taskId: run_id,
      contextId: session_id,
      at: run.created_at * 1000,
      history: Origin.historyOf(
        { id: run_id, contextId: session_id, metadata },
        Tasks.inputParts(AnyRun.inputOf(run))
      ),
      metadata: Origin.without(metadata)
    }
    const ended = Effect.catchTags(
      service.output({ caller, component, partOf: "watch", run_id, session_id }),
      { ComponentNotFound: Effect.die, RunForbidden: Effect.die, RunNotFound: Effect.die }
    ).pipe(Effect.flatMap((run) => taskOf(run, { metadata: metadata ?? {} }, whole)))
    const { count: before, events } = watched
    const isActive = Run.isActive(watched.status)
    return { _tag: "Items", items: TaskItems.make({ start, before, isActive, events, first, ended }) } as const
  })

  const setPush = Effect.fnUntraced(function*(target: Target, taskId: string, config: PushConfig, version: Version) {
    yield* tasks.find(target, taskId, "watch")
    yield* pushes.check(config)
    return yield* pushes.set(target, taskId, config, version)
  })

  return Effect.fnUntraced(function*(target: Target, operation: Operation, version: Version) {
    switch (operation._tag) {
      case "Send":
        return yield* send(target, operation.sending, version)
      case "Stream":
        return yield* stream(target, operation.sending, version)
      case "Get":
        return { _tag: "Task", task: yield* get(target, operation.id, operation.historyLength) } as const
      case "List":
        return { _tag: "Page", page: yield* tasks.list(target, operation.query) } as const
      case "Cancel":
        return { _tag: "Task", task: yield* cancel(target, operation.id) } as const
      case "Subscribe":
        return yield* subscribe(target, operation.id, version)
      case "Card":
        return { _tag: "Card", card: yield* cards.extended(target, version) } as const
      case "SetPush":
        return { _tag: "Push", config: yield* setPush(target, operation.taskId, operation.config, version) } as const
      case "GetPush":
        yield* tasks.find(target, operation.taskId)
        return { _tag: "Push", config: yield* pushes.get(target, operation.taskId, operation.id) } as const
      case "ListPush":
        yield* tasks.find(target, operation.taskId)
        return { _tag: "Pushes", configs: yield* pushes.list(target, operation.taskId) } as const
      case "RemovePush":
        yield* tasks.find(target, operation.taskId)
        yield* pushes.remove(target, operation.taskId, operation.id)
        return { _tag: "Nothing" } as const
    }
  })
}
