// The events of runs in memory.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { Lease } from "@svc-runtime/engine/node/LeasedRuns"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { Effect, Option } from "effect"
import type { MemoryDatabase, StoredRun } from "./MemoryDatabase.ts"
import type * as MemoryRunReading from "./MemoryRunReading.ts"

type Runs = RunStore["Service"]

export const appended = (known: ReadonlyArray<RunEvent.RunEvent>, more: ReadonlyArray<RunEvent.RunEvent>) => {
  const indexes = new Set(known.map(({ event_index }) => event_index))
  return [...known, ...more.filter(({ event_index }) => !indexes.has(event_index))]
}

interface Options {
  readonly held: (lease: Lease) => StoredRun | undefined
  readonly lookUp: ReturnType<typeof MemoryRunReading.make>["lookUp"]
}

export const make = ({ runs }: MemoryDatabase["Service"], { held, lookUp }: Options) => ({
  appendEvents: (batches) =>
    Effect.sync(() =>
      batches.flatMap(({ events, ...lease }) => {
        const stored = held(lease)
        if (stored === undefined) return []
        runs.set(lease.run_id, { ...stored, events: appended(stored.events, events) })
        return [lease]
      })
    ),
  readEvents: (session, run, filter, { after, limit }) =>
    Effect.sync(() => {
      const stored = lookUp(run, session, filter)
      if (stored === undefined) return Option.none()
      const { events, output: { status } } = stored
      const behind = events.filter(({ event_index }) => event_index > after).slice(0, limit)
      return Option.some({ status, count: events.length, events: behind })
    }),
  pollEvents: (polled, limit) =>
    Effect.sync(() =>
      polled.flatMap(({ after, run_id }) => {
        const stored = runs.get(run_id)
        if (stored === undefined) return []
        const behind = stored.events.filter(({ event_index }) => event_index > after)
        return [{
          run_id,
          status: stored.output.status,
          events: behind.slice(0, limit),
          hasMore: behind.length > limit
        }]
      })
    )
} satisfies Partial<Runs>)
