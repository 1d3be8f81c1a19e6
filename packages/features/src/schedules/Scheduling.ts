// What connects the scheduler of the service's own database with the routes, which are built after it: the routes say
// how requests are executed, and learn which runs have ended.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import * as AwaitedEnds from "@svc-runtime/engine/node/AwaitedEnds"
import * as Listeners from "@svc-runtime/engine/signals/Listeners"
import { count, flagOr, retention } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Context, Deferred, Duration, Effect, Layer } from "effect"
import type * as Schedule from "./Schedule.ts"
import type { Begun } from "./ScheduleRunStore.ts"

export interface ScheduleLimits {
  /** Whether this node executes schedules (SCHEDULER_ENABLED). */
  readonly isEnabled: boolean
  /** Runs of schedules that a node executes at a time (SCHEDULE_CONCURRENCY), at most half of them for one user. */
  readonly concurrency: number
  /** Schedules of a service (MAX_SCHEDULES). A user has at most half of them. */
  readonly schedules: number
  /** Failed runs in a row after which a schedule is disabled (SCHEDULE_MAX_FAILURES). Zero: never. */
  readonly failures: number
  /** How long ended runs are kept (SCHEDULE_RUN_RETENTION). Undefined: forever. */
  readonly retention: Duration.Duration | undefined
}

export const defaultLimits: ScheduleLimits = {
  isEnabled: true,
  concurrency: 10,
  schedules: 10_000,
  failures: 10,
  retention: Duration.days(90)
}

export const scheduleSettings: Env.Config<ScheduleLimits> = Env.all({
  isEnabled: flagOr("SCHEDULER_ENABLED", defaultLimits.isEnabled),
  concurrency: count("SCHEDULE_CONCURRENCY", defaultLimits.concurrency),
  schedules: count("MAX_SCHEDULES", defaultLimits.schedules),
  failures: count("SCHEDULE_MAX_FAILURES", defaultLimits.failures, 0),
  retention: retention("SCHEDULE_RUN_RETENTION", Duration.days(90))
})

export interface Attempt extends Begun {
  /** Whether the stored attempt has ended. If so, an interruption also cancels the run that it started. */
  readonly isOver: Effect.Effect<boolean>
  /** Records the run that the attempt has started. */
  readonly started: (run: { readonly run_id: Run.Id; readonly session_id: Session.Id }) => Effect.Effect<void>
}

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
  /** Of attempts, also on other nodes. */
  readonly ends: AwaitedEnds.AwaitedEnds<Schedule.RunId>
}>()("@svc-runtime/features/schedules/Scheduling") {
  static readonly layer = (limits: Partial<ScheduleLimits> = {}): Layer.Layer<Scheduling> =>
    Layer.sync(Scheduling, () => {
      const bound = Deferred.makeUnsafe<Execute>()
      return Scheduling.of({
        limits: { ...defaultLimits, ...limits },
        execute: (attempt) => Effect.flatMap(Deferred.await(bound), (execute) => execute(attempt)),
        bind: (execute) => Effect.asVoid(Deferred.succeed(bound, execute)),
        changed: Listeners.make(),
        enqueued: Listeners.make(),
        ends: AwaitedEnds.make("schedule run")
      })
    })
}
