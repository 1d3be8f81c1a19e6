// `ScheduleRunStore` in memory, for one process.
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as Schedule from "@svc-runtime/features/schedules/Schedule"
import { jobAttempts, jobIdOf, jobKind } from "@svc-runtime/features/schedules/ScheduleJobs"
import {
  EarlierRunUnfinished,
  type Ending,
  type ScheduleRunStore
} from "@svc-runtime/features/schedules/ScheduleRunStore"
import type * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Clock, Effect, Option, Predicate, Struct } from "effect"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import * as MemoryJobs from "./MemoryJobs.ts"
import type { StoredScheduleRun } from "./StoredSchedules.ts"

const emptyRun = { ...Schedule.noOutcome, triggered_at: null, completed_at: null } as const

interface Starting {
  readonly id: Schedule.RunId
  readonly schedule_id: Schedule.Id
  readonly key: string | null
  readonly run_at: number | undefined
  readonly trace?: TraceContext.Stored | undefined
}

export const make = (database: MemoryDatabase["Service"]): ScheduleRunStore["Service"] => {
  const { jobs, next, scheduleRuns: runs, schedules } = database
  const { enqueue } = MemoryJobs.make(database)
  const millis = Clock.currentTimeMillis
  const seconds = Effect.map(millis, (time) => Math.floor(time / 1000))

  const enqueued = ({ id, key, run_at, schedule_id, trace }: Starting) =>
    jobs.has(jobIdOf(id)) ? Effect.void : enqueue({
      id: jobIdOf(id),
      kind: jobKind,
      key,
      isUnique: false,
      payload: { schedule_run_id: id },
      max_attempts: jobAttempts,
      user_id: null,
      caller: schedules.get(schedule_id)?.user_id ?? Job.withoutUser,
      session_id: null,
      run_at,
      ...(trace === undefined ? {} : { trace })
    })

  const add = (stored: Omit<StoredScheduleRun, "sequence">) => runs.set(stored.run.id, { ...stored, sequence: next() })

  const change = (stored: StoredScheduleRun, run: Partial<Schedule.Run>) => {
    const changed = { ...stored, run: { ...stored.run, ...run } }
    runs.set(stored.run.id, changed)
    return changed
  }

  const changeSchedule = (id: Schedule.Id, fields: Partial<Schedule.Schedule>) => {
    const stored = schedules.get(id)
    if (stored !== undefined) schedules.set(id, { ...stored, schedule: { ...stored.schedule, ...fields } })
  }

  const running = (id: Schedule.RunId) => {
    const stored = runs.get(id)
    return stored?.run.status === "running" ? stored : undefined
  }

  const allUnfinished = (id: Schedule.Id) =>
    [...runs.values()].filter(({ run }) => run.schedule_id === id && run.status === "running")
  const unfinished = (id: Schedule.Id) => allUnfinished(id).filter(({ slot }) => slot !== undefined)
  const triggered = (id: Schedule.Id) => allUnfinished(id).filter(({ slot }) => slot === undefined)

  /** The run for the earliest time before. */
  const earlier = ({ run, slot }: StoredScheduleRun) =>
    unfinished(run.schedule_id).filter((other) => Number(other.slot) < Number(slot))
      .sort((left, right) => Number(left.slot) - Number(right.slot))[0]

  const stop = (stored: StoredScheduleRun, at: number) => {
    change(stored, { status: "cancelled", completed_at: at, error: Schedule.superseded })
    const job = jobs.get(jobIdOf(stored.run.id))
    if (job === undefined || Job.isEnded(job.job.status)) return 0
    const status = job.job.status === "PENDING" ? "CANCELLED" : "RUNNING"
    jobs.set(job.job.id, { ...job, job: { ...job.job, status, is_cancel_requested: true } })
    return 1
  }

  const isSkipped = ({ overlap }: Schedule.Schedule, place: number, slots: number, before: number) => {
    if (overlap === "skip") return before + place > 1
    return overlap === "cancel" ? place < slots : before + place > Schedule.maxUnfinished
  }

  const fireOne = Effect.fnUntraced(function*(firing: Schedule.Firing, at: number) {
    const schedule = schedules.get(firing.id)?.schedule
    const isExpected = schedule?.enabled === true && schedule.next_run_at === firing.expected &&
      schedule.cron_expr === firing.cron_expr && schedule.timezone === firing.timezone
    if (!isExpected) return { schedules: 0, runs: 0, cancelled: 0 }
    changeSchedule(firing.id, {
      next_run_at: firing.next_run_at ?? schedule.next_run_at,
      enabled: firing.next_run_at !== null,
      paused_reason: firing.paused_reason
    })
    const others = firing.slots.length === 0 ? [] : unfinished(firing.id)
    const cancelled = schedule.overlap === "cancel" ? others.map((stored) => stop(stored, at)) : []
    const starting: Array<Starting> = []
    firing.slots.forEach(({ id, run_at, slot }, index) => {
      const isSlotTaken = [...runs.values()].some(({ run, slot: other }) =>
        run.schedule_id === firing.id && other === slot
      )
      if (isSlotTaken) return
      const skipped = isSkipped(schedule, index + 1, firing.slots.length, others.length)
      const ended = { status: "cancelled", completed_at: at, error: Schedule.overlapping } as const
      const run: Schedule.Run = {
        ...emptyRun,
        id,
        schedule_id: firing.id,
        attempt: 1,
        status: "running",
        created_at: at,
        ...(skipped ? ended : {})
      }
      add({ first_id: id, slot, run })
      if (!skipped) {
        starting.push({ id, schedule_id: firing.id, key: schedule.overlap === "queue" ? firing.id : null, run_at })
      }
    })
    yield* Effect.forEach(starting, enqueued, { discard: true })
    return { schedules: 1, runs: starting.length, cancelled: cancelled.reduce<number>((sum, one) => sum + one, 0) }
  })

  const retry = Effect.fnUntraced(
    function*(stored: StoredScheduleRun, schedule: Schedule.Schedule, { next_id: id, trace }: Ending) {
      const at = yield* seconds
      const { attempt, schedule_id } = stored.run
      add({
        first_id: stored.first_id,
        slot: stored.slot,
        author: stored.author,
        begun: Predicate.isNullish(stored.author) ? undefined : stored.begun,
        run: { ...emptyRun, id, schedule_id, attempt: attempt + 1, status: "running", created_at: at }
      })
      const key = schedule.overlap === "queue" && stored.slot !== undefined ? schedule_id : null
      yield* enqueued({ id, schedule_id, key, run_at: at + schedule.retry_delay_seconds, trace })
    }
  )

  const count = (schedule: Schedule.Schedule, isFailed: boolean, pauseAfter: number) => {
    const consecutive_failures = isFailed ? schedule.consecutive_failures + 1 : 0
    const isPaused = schedule.enabled && isFailed && pauseAfter > 0 && consecutive_failures >= pauseAfter
    changeSchedule(schedule.id, {
      consecutive_failures,
      ...(isPaused ? { enabled: false, paused_reason: `${consecutive_failures} runs in a row failed` } : {})
    })
  }

  return {
    nextDue: (limit) =>
      Effect.map(millis, (at) => {
        const waiting = [...schedules.values()].flatMap(({ schedule }) => {
          const { enabled, next_run_at } = schedule
          if (!enabled || next_run_at === null) return []
          return [{ ...Struct.pick(schedule, Schedule.dueFields), next_run_at }]
        }).sort((left, right) => left.next_run_at - right.next_run_at)
        const [first] = waiting
        if (first === undefined) return Option.none()
        const until = Math.max(Math.floor(at / 1000), first.next_run_at)
        return Option.some({ at, schedules: waiting.filter((each) => each.next_run_at <= until).slice(0, limit) })
      }),
    fire: Effect.fnUntraced(function*(firings) {
      const at = yield* seconds
      const fired = yield* Effect.forEach(firings, (firing) => fireOne(firing, at))
      const sum = (name: "cancelled" | "runs" | "schedules") => fired.reduce((total, one) => total + one[name], 0)
      return { schedules: sum("schedules"), runs: sum("runs"), cancelled: sum("cancelled") }
    }),
    trigger: Effect.fnUntraced(function*(
      { endpoint, id: schedule_id, method },
      id,
      { author, trace } = {}
    ) {
      if (runs.has(id)) return "stored"
      if (triggered(schedule_id).length >= Schedule.maxUnfinished) return "full"
      const schedule = schedules.get(schedule_id)?.schedule
      if (schedule?.endpoint !== endpoint || schedule.method !== method) return "changed"
      const created_at = yield* seconds
      const run = { ...emptyRun, id, schedule_id, attempt: 1, status: "running", created_at } as const
      // another author may change the schedule before it begins
      const begun = Predicate.isNullish(author) ? undefined : { ...Struct.pick(schedule, Schedule.keptFields), author }
      add({ first_id: id, slot: undefined, run, author, begun })
      yield* enqueued({ id, schedule_id, key: null, run_at: undefined, trace })
      return "stored"
    }),
    begin: (id) =>
      Effect.flatMap(millis, (time) => {
        const stored = running(id)
        const schedule = schedules.get(stored?.run.schedule_id as Schedule.Id)?.schedule
        if (stored === undefined || schedule === undefined) return Effect.succeed(Option.none())
        const before = stored.run.triggered_at === null && schedule.overlap === "queue"
          ? earlier(stored)
          : undefined
        if (before !== undefined) {
          const { notBefore = time } = jobs.get(jobIdOf(before.run.id)) ?? {}
          return Effect.fail(new EarlierRunUnfinished({ seconds: Math.max(0, notBefore - time) / 1000 + 1 }))
        }
        const triggered_at = stored.run.triggered_at ?? Math.floor(time / 1000)
        const begun = stored.begun ??
          { ...Struct.pick(schedule, Schedule.keptFields), author: stored.author ?? schedule.author }
        const { run } = change({ ...stored, begun }, { triggered_at })
        return Effect.succeed(Option.some({
          run,
          schedule: { ...schedule, ...begun },
          seconds: triggered_at + begun.timeout_seconds - time / 1000,
          isLast: stored.isLast === true
        }))
      }),
    note: (id, run) =>
      Effect.sync(() => {
        const stored = running(id)
        if (stored !== undefined) change(stored, run)
      }),
    finish: Effect.fnUntraced(function*(id, ending) {
      const { outcome: { isLast = false, ...outcome }, pauseAfter, target } = ending
      const stored = running(id)
      const schedule = schedules.get(stored?.run.schedule_id as Schedule.Id)?.schedule
      if (stored === undefined || schedule === undefined) return false
      const isFailed = outcome.status === "failed"
      const isSame = stored.slot !== undefined ||
        (target !== undefined && !Schedule.isRedirected(target, schedule))
      if (isFailed && !isLast && stored.isLast !== true && stored.run.attempt <= schedule.max_retries && isSame) {
        yield* retry(stored, schedule, ending)
      } else if (stored.slot !== undefined) count(schedule, isFailed, pauseAfter)
      // last, because its announcement names the rest
      change(stored, { ...outcome, completed_at: yield* seconds })
      return true
    }),
    isRunning: (id) => Effect.sync(() => running(id) !== undefined),
    last: (id) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(
          [...runs.values()].filter(({ first_id }) => first_id === id)
            .sort((left, right) => right.run.attempt - left.run.attempt)[0]?.run
        )
      ),
    // a job in memory does not outlive its process, and neither do the records
    orphaned: () => Effect.succeed([])
  }
}
