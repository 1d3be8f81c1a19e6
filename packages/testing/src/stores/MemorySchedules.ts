// `ScheduleStore` in memory.
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Share from "@svc-runtime/engine/limits/Share"
import { now } from "@svc-runtime/engine/now"
import * as Schedule from "@svc-runtime/features/schedules/Schedule"
import { ScheduleNameTaken, type ScheduleStore } from "@svc-runtime/features/schedules/ScheduleStore"
import { Effect, Option } from "effect"
import { type MemoryDatabase, newestFirst } from "./MemoryDatabase.ts"
import type { StoredSchedule, StoredScheduleRun } from "./StoredSchedules.ts"

export const make = (
  { next, scheduleRuns, schedules: all }: MemoryDatabase["Service"]
): ScheduleStore["Service"] => {
  const put = ({ schedule, ...stored }: StoredSchedule) =>
    Effect.suspend(() => {
      const { id, name } = schedule
      const isTaken = [...all.values()].some((other) => other.schedule.name === name && other.schedule.id !== id)
      if (isTaken) return Effect.fail(new ScheduleNameTaken({ name }))
      all.set(id, { ...stored, schedule })
      return Effect.void
    })
  const cancelWaiting = (
    isWanted: (run: StoredScheduleRun) => boolean,
    end: Pick<Schedule.Run, "completed_at" | "error">
  ) => {
    for (const [run_id, stored] of scheduleRuns) {
      const { run } = stored
      if (run.status !== "running" || run.triggered_at !== null || !isWanted(stored)) continue
      scheduleRuns.set(run_id, { ...stored, begun: undefined, run: { ...run, ...end, status: "cancelled" } })
    }
  }
  const runsOf = (id: Schedule.Id) => [...scheduleRuns.values()].filter(({ run }) => run.schedule_id === id)
  return {
    now,
    create: (schedule, limit, user_id) =>
      Effect.suspend(() => {
        const ofUser = user_id === undefined ? [] : [...all.values()].filter((each) => each.user_id === user_id)
        return Share.hasRoom({ all: all.size, ofUser: ofUser.length }, limit)
          ? Effect.as(put({ sequence: next(), schedule, user_id }), true)
          : Effect.succeed(false)
      }),
    find: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(all.get(id)), ({ schedule }) => schedule)),
    list: ({ enabled }, page) =>
      Effect.sync(() => {
        const found = newestFirst(all.values()).map(({ schedule }) => schedule)
          .filter((schedule) => enabled === undefined || schedule.enabled === enabled)
        return { schedules: Pagination.slice(page, found), total: found.length }
      }),
    change: Effect.fnUntraced(function*(id, change) {
      const stored = all.get(id)
      if (stored === undefined) return Option.none()
      const changed = yield* change(stored.schedule)
      yield* put({ ...stored, schedule: changed })
      if (Schedule.isRedirected(stored.schedule, changed)) {
        const isTriggered = ({ run, slot }: StoredScheduleRun) => run.schedule_id === id && slot === undefined
        cancelWaiting(isTriggered, { completed_at: yield* now, error: Schedule.redirected })
      }
      return Option.some(changed)
    }),
    disableAll: (author, { at, reason }) =>
      Effect.sync(() => {
        const authorOf = (run: StoredScheduleRun) => run.author ?? all.get(run.run.schedule_id)?.schedule.author
        cancelWaiting((run) => authorOf(run) === author, { completed_at: at, error: reason })
        for (const [id, stored] of scheduleRuns) {
          const isOfAuthor = authorOf(stored) === author || stored.begun?.author === author
          if (stored.run.status === "running" && isOfAuthor) scheduleRuns.set(id, { ...stored, isLast: true })
        }
        const disabled = [...all.values()].filter(({ schedule }) => schedule.author === author && schedule.enabled)
        for (const stored of disabled) {
          const schedule = { ...stored.schedule, enabled: false, paused_reason: reason, updated_at: at }
          all.set(schedule.id, { ...stored, schedule })
        }
        return disabled.length
      }),
    remove: (id) =>
      Effect.sync(() => {
        for (const { run } of runsOf(id)) scheduleRuns.delete(run.id)
        return all.delete(id)
      }),
    runs: (id, page) =>
      Effect.sync(() => {
        const found = newestFirst(runsOf(id)).map(({ run }) => run)
        return { runs: Pagination.slice(page, found), total: found.length }
      }),
    findRun: (id, run_id) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(scheduleRuns.get(run_id)?.run).pipe(
          Option.filter(({ schedule_id }) => schedule_id === id)
        )
      )
  }
}
