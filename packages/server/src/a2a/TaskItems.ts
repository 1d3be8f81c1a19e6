// The stream of a task: first the task itself, then what changes.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { StreamError } from "@svc-runtime/http/sse/StreamFailure"
import type { StreamResponse, Task } from "@svc-runtime/protocols/a2a/Model"
import * as TaskStream from "@svc-runtime/protocols/a2a/TaskStream"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"
import { Effect, Stream } from "effect"

export type ItemError = StreamError

/** Items that are there at the same time are together. */
export type Items = Stream.Stream<ReadonlyArray<StreamResponse>, ItemError>

export interface Options {
  readonly start: TaskStream.Start
  readonly events: Stream.Stream<RunEvent.RunEvent, ItemError>
  /** How many events the reader gets as one task. */
  readonly before: number
  /** The run executes, so a question at the end of these events was answered. */
  readonly isActive: boolean
  /** Shown instead of the task that these events make. */
  readonly first?: Task | undefined
  /** The task after its end, for a run whose events are not stored. */
  readonly ended: Effect.Effect<Task, ItemError>
}

const statusOf = ({ contextId, id, status }: Task): StreamResponse => ({
  statusUpdate: { taskId: id, contextId, status }
})

export const one = (item: StreamResponse): Items => Stream.succeed([item])

export const make = ({ before, ended, events, first, isActive, start }: Options): Items =>
  Stream.suspend(() => {
    const pieces = RunPieces.make(start.taskId)
    const task = TaskStream.make(start)
    let isShown = first !== undefined
    let isClosed = false

    const show = (): ReadonlyArray<StreamResponse> => {
      if (isShown) return []
      isShown = true
      return [{ task: task.task(isActive) }]
    }

    const itemsOf = (event: RunEvent.RunEvent): ReadonlyArray<StreamResponse> => {
      const items = pieces.push(event).flatMap(task.push)
      // a task that resumed has an earlier pause among its events
      isClosed = !(isActive && event.event_index < before) && items.some(TaskStream.isLast)
      if (event.event_index >= before) return [...show(), ...items]
      return event.event_index === before - 1 ? show() : []
    }

    /** Up to where the stream closes: a watched task can continue after a pause. */
    const untilClosed = (items: ReadonlyArray<StreamResponse>): ReadonlyArray<StreamResponse> => {
      const last = items.findIndex(TaskStream.isLast)
      if (last < 0) return items
      isClosed = true
      return items.slice(0, last + 1)
    }

    const rest = events.pipe(
      Stream.mapArray((chunk): [ReadonlyArray<StreamResponse>] => [untilClosed(chunk.flatMap(itemsOf))]),
      Stream.filter((items) => items.length > 0),
      Stream.takeUntil((items) => items.some(TaskStream.isLast))
    )
    const shown = first === undefined ? before === 0 ? Stream.succeed(show()) : Stream.empty : one({ task: first })
    const end: Items = Stream.suspend(() =>
      isClosed
        ? Stream.empty
        : Stream.fromEffect(Effect.map(ended, (task) => [isShown ? statusOf(task) : { task }]))
    )
    return Stream.concat(Stream.concat(shown, rest), end)
  })
