// What a due schedule does: the times at which it is executed now, and the next one. Times that are missed because no
// node ran are executed as `catch_up` says.
import { Hash, Option, Result } from "effect"
import * as CronExpression from "./CronExpression.ts"
import * as Schedule from "./Schedule.ts"
import type { DueSchedule } from "./ScheduleRunStore.ts"

/** Seconds. A time that is later has been missed. */
export const missedAfter = 60

/** Times of a schedule in one statement. Further ones are in the next. */
export const maxSlots = 100

/** The last time up to `at`. There is one after `from`. */
const latest = ({ next }: CronExpression.Parsed, from: number, at: number): number => {
  const isBefore = (time: number) => Option.exists(next(time), (following) => following <= at)
  let [low, high] = [from, at]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isBefore(middle)) low = middle
    else high = middle
  }
  return Option.getOrElse(next(low), () => from)
}

export interface Due {
  readonly times: ReadonlyArray<number>
  readonly next: number | undefined
  readonly isMissed: boolean
}

const dueOf = (schedule: DueSchedule, parsed: CronExpression.Parsed, at: number): Due => {
  const { catch_up, catch_up_window_seconds: window, next_run_at } = schedule
  const oldest = catch_up === "all" ? at - Math.max(window, missedAfter) : at - missedAfter
  const isMissed = next_run_at < oldest
  const times: Array<number> = []
  let next = isMissed ? Option.getOrUndefined(parsed.next(oldest - 1)) : next_run_at
  for (
    ;
    next !== undefined && next <= at && times.length < maxSlots;
    next = Option.getOrUndefined(parsed.next(next))
  ) {
    times.push(next)
  }
  if (isMissed && catch_up === "one" && times.length === 0) {
    const last = latest(parsed, next_run_at - 1, at)
    if (last >= at - window) times.push(last)
  }
  return { times, next, isMissed }
}

/** Later by a number of seconds that depends on the schedule and the time only. */
const beginOf = ({ id, jitter_seconds }: DueSchedule, time: number): number | undefined =>
  jitter_seconds === 0 ? undefined : time + Math.abs(Hash.string(`${id} ${time}`)) % (jitter_seconds + 1)

export interface Made {
  readonly firing: Schedule.Firing
  readonly isMissed: boolean
}

/** `at`: epoch seconds. */
export const make = (schedule: DueSchedule, at: number, newId: () => string): Made => {
  const { cron_expr, id, next_run_at, timezone } = schedule
  const about = { id, cron_expr, timezone, expected: next_run_at }
  const parsed = CronExpression.parse(schedule)
  if (Result.isFailure(parsed)) {
    const firing = { ...about, next_run_at: null, paused_reason: parsed.failure.message, slots: [] }
    return { firing, isMissed: false }
  }
  const { isMissed, next, times } = dueOf(schedule, parsed.success, at)
  const slots = times.map((slot) => ({
    id: Schedule.RunId.make(newId()),
    slot,
    run_at: beginOf(schedule, slot)
  }))
  const paused_reason = next === undefined ? `${cron_expr} has no further time` : null
  return { firing: { ...about, next_run_at: next ?? null, paused_reason, slots }, isMissed }
}
