// Engines that stop after a given number of journal entries, like a process that is killed, and the comparison of
// resumed runs with uninterrupted ones.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Deferred, Effect } from "effect"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import { open, type Options, session } from "./Engine.ts"

export interface Life extends Pick<Options, "teams" | "workflows" | "memory"> {
  readonly run_id: Run.Id
  /** After how many entries it dies. Never, when left out. */
  readonly after?: number | undefined
}

/** Executes the run until it ends or pauses, or until the engine stops. */
export const live = Effect.fnUntraced(function*({ after = Infinity, run_id, ...options }: Life) {
  const dead = yield* Deferred.make<void>()
  let written = 0
  let hasEnded = false
  const isDead = () => written > after && !hasEnded
  const nothing = Effect.andThen(Deferred.succeed(dead, undefined), Effect.interruptible(Effect.never))
  // an engine that stops writes what is left, and must not wait for it
  const gone = Effect.andThen(Deferred.succeed(dead, undefined), Effect.fail(new StorageUnavailable({ cause: "dead" })))
  const around = (store: RunStore["Service"]): RunStore["Service"] => ({
    ...store,
    record: (recorded) => {
      written++
      return isDead() ? nothing : store.record(recorded)
    },
    // events that were not stored are lost with the engine
    appendEvents: (batches) => Effect.suspend(() => isDead() ? gone : store.appendEvents(batches))
  })
  const service = yield* open({ ...options, around, drainTimeout: 0 })
  // the memory that is handed on has what stands around it
  const close = Effect.andThen(service.close, Effect.sync(() => (hasEnded = true)))
  const filter = { owner: Owner.anyone }
  const rests = Effect.suspend(() => service.engine.output({ run_id, session_id: session, filter }))
  return {
    ...service,
    written: () => written,
    rest: Effect.andThen(Effect.raceFirst(Effect.asVoid(rests), Deferred.await(dead)), close)
  }
})

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const inOrder = (key: string, value: unknown): unknown => {
  if (key === "events") return undefined
  return isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1)) : value
}

/** The events in one order, without times and generated ids. */
export const comparable = (value: unknown): unknown => {
  const ids = new Map<string, string>()
  const named = (id: string) => ids.get(id) ?? (ids.set(id, `id ${ids.size}`), ids.get(id))
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
  const times = /"(duration|time_to_first_token|start_time|end_time|created_at)":("[^"]*"|[\d.e-]+)/g
  return JSON.parse(
    JSON.stringify(value, inOrder).replaceAll(uuid, (id) => `${named(id)}`).replaceAll(times, `"$1":0`)
  )
}
