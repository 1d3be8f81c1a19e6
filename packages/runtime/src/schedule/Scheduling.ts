// What connects the scheduler of the service's own database with the routes, which are built after it: the routes say
// how requests are executed, and learn which runs have ended.
import type * as Run from "@svc/domain/Run"
import type * as Schedule from "@svc/domain/Schedule"
import type * as Session from "@svc/domain/Session"
import { Context, Deferred, Effect, Latch, Layer } from "effect"
import type { RunSignals } from "../node/RunSignals.ts"
import * as Listeners from "../signals/Listeners.ts"
import type { Begun } from "./ScheduleRunStore.ts"

export interface ScheduleLimits {
  /** Whether this node executes schedules (SCHEDULER_ENABLED). */
  readonly isEnabled: boolean
  /** Runs of schedules that a node executes at a time (SCHEDULE_CONCURRENCY). */
  readonly concurrency: number
  /** Schedules of a service (MAX_SCHEDULES). */
  readonly schedules: number
  /** Failed runs in a row after which a schedule is disabled (SCHEDULE_MAX_FAILURES). Zero: never. */
  readonly failures: number
}

export const defaultLimits: ScheduleLimits = { isEnabled: true, concurrency: 10, schedules: 10_000, failures: 10 }

export interface Attempt extends Begun {
  /** Whether the stored attempt has ended. If so, an interruption also cancels the run that it started. */
  readonly isOver: Effect.Effect<boolean>
  /** Records the run that the attempt has started. */
  readonly started: (run: { readonly run_id: Run.Id; readonly session_id: Session.Id }) => Effect.Effect<void>
}

export type Signals = Pick<RunSignals, "follow" | "publish">

const topicOf = (id: Schedule.RunId) => `schedule run ${id}`

export type Execute = (attempt: Attempt) => Effect.Effect<Schedule.Outcome>

export class Scheduling extends Context.Service<Scheduling, {
  readonly limits: ScheduleLimits
  /** Waits until the routes are built. */
  readonly execute: Execute
  readonly bind: (execute: Execute) => Effect.Effect<void>
  /** A schedule was made or changed by this process. */
  readonly changed: Listeners.Listeners
  /** A job was stored by this process. */
  readonly enqueued: Listeners.Listeners
  /** `ended` waits for the end of an attempt, also on another node, whose signal can be lost. */
  readonly awaiting: <A, E, R>(
    id: Schedule.RunId,
    use: (ended: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** An attempt has ended in this process. */
  readonly tellEnded: (id: Schedule.RunId) => void
  /** How ends are signalled between nodes. */
  readonly connect: (signals: Signals) => void
}>()("@svc/runtime/schedule/Scheduling") {
  static readonly layer = (limits: Partial<ScheduleLimits> = {}): Layer.Layer<Scheduling> =>
    Layer.sync(Scheduling, () => {
      const bound = Deferred.makeUnsafe<Execute>()
      const awaited = new Map<Schedule.RunId, Set<Latch.Latch>>()
      let signals: Signals = { publish: () => {}, follow: () => () => {} }
      return Scheduling.of({
        limits: { ...defaultLimits, ...limits },
        execute: (attempt) => Effect.flatMap(Deferred.await(bound), (execute) => execute(attempt)),
        bind: (execute) => Effect.asVoid(Deferred.succeed(bound, execute)),
        changed: Listeners.make(),
        enqueued: Listeners.make(),
        awaiting: (id, use) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              const latch = Latch.makeUnsafe(false)
              const latches = awaited.get(id) ?? new Set()
              awaited.set(id, latches.add(latch))
              return { latch, latches, unfollow: signals.follow(topicOf(id), () => latch.openUnsafe()) }
            }),
            ({ latch }) => use(Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))),
            ({ latch, latches, unfollow }) =>
              Effect.sync(() => {
                unfollow()
                latches.delete(latch)
                if (latches.size === 0) awaited.delete(id)
              })
          ),
        tellEnded: (id) => {
          signals.publish(topicOf(id))
          awaited.get(id)?.forEach((latch) => latch.openUnsafe())
        },
        connect: (given) => {
          signals = given
        }
      })
    })
}
