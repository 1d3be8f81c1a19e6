// Numbers a run's events, keeps them for the store, and passes them on to the one who watches. Publishing is a plain
// function call: nothing in a run waits for its watcher.
import { type RunEvent, type StorageUnavailable, Time } from "@svc/domain"
import { type Cause, Clock, Effect, type Exit, Queue } from "effect"
import type { RunCommand } from "../agent/RunCommand.ts"

type Watcher = Queue.Queue<RunEvent.RunEvent, StorageUnavailable | Cause.Done>

export interface RunEvents {
  /** All that were published, in their order. Undefined when nobody watches: nothing is kept then. */
  readonly all: ReadonlyArray<RunEvent.RunEvent> | undefined
  readonly publish: (payload: RunEvent.Payload) => void
  /** Gives an event its place in the run without publishing it. */
  readonly number: (payload: RunEvent.Payload) => RunEvent.RunEvent
  readonly offer: (event: RunEvent.RunEvent) => void
  readonly end: (exit: Exit.Exit<unknown, StorageUnavailable>) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(command: RunCommand, watcher: Watcher | undefined) {
  const clock = yield* Clock.Clock
  const all: Array<RunEvent.RunEvent> = []
  let next = 0
  const number = (payload: RunEvent.Payload): RunEvent.RunEvent => ({
    created_at: Time.fromMillis(clock.currentTimeMillisUnsafe()),
    ...payload,
    agent_id: command.agent.id,
    agent_name: command.agent.name,
    run_id: command.run_id,
    session_id: command.session_id,
    nested_depth: 0,
    event_index: next++
  })
  const offer = (event: RunEvent.RunEvent) => {
    if (watcher !== undefined) Queue.offerUnsafe(watcher, event)
  }
  const events: RunEvents = {
    all: watcher === undefined ? undefined : all,
    number,
    offer,
    publish: (payload) => {
      // Nobody watches and nothing is kept: an event would only be thrown away.
      if (watcher === undefined) return
      const event = number(payload)
      all.push(event)
      offer(event)
    },
    end: (exit) => {
      if (watcher === undefined) return Effect.void
      return exit._tag === "Success" ? Queue.end(watcher) : Queue.failCause(watcher, exit.cause)
    }
  }
  return events
})
