// Schedules. They belong to the service, so every caller with the scope sees all of them.
import { Api, Errors } from "@svc/api"
import * as CronExpression from "@svc/domain/CronExpression"
import * as Pagination from "@svc/domain/Pagination"
import * as Schedule from "@svc/domain/Schedule"
import { NewId } from "@svc/runtime/NewId"
import { now } from "@svc/runtime/now"
import type { ScheduleNameTaken } from "@svc/runtime/schedule/ScheduleErrors"
import { ScheduleStore } from "@svc/runtime/schedule/ScheduleStore"
import { Effect, Option } from "effect"
import * as JsonAnswer from "../JsonAnswer.ts"
import { orUnavailable } from "../WireErrors.ts"
import { group } from "./group.ts"

const notFound = Errors.notFound("Schedule not found")

const orNotFound = <A>(found: Option.Option<A>) =>
  Option.match(found, { onNone: () => Effect.fail(notFound), onSome: Effect.succeed })

const nameTaken = ({ message }: ScheduleNameTaken) => Effect.fail(Errors.conflict(message))

const refused = ({ field, message }: CronExpression.CronProblem) =>
  new Errors.Invalid({
    detail: message,
    error_code: "VALIDATION_ERROR",
    errors: [{ loc: ["body", field], msg: message, type: "value_error" }]
  })

const nextOf = (schedule: Pick<Schedule.Schedule, "cron_expr" | "timezone">, at: number) =>
  Effect.mapError(Effect.fromResult(CronExpression.next(schedule, at)), refused)

const patch = (payload: Schedule.Patch, at: number) =>
  Effect.fnUntraced(function*(schedule: Schedule.Schedule) {
    if (Object.keys(payload).length === 0) return schedule
    const changed = Schedule.patched(schedule, payload, at)
    if (payload.cron_expr === undefined && payload.timezone === undefined) return changed
    const next_run_at = yield* nextOf(changed, at)
    return changed.enabled ? { ...changed, next_run_at } : changed
  })

export const Schedules = group(
  Api,
  "schedules",
  Effect.fnUntraced(function*(handlers) {
    const store = yield* ScheduleStore

    const found = Effect.fnUntraced(function*(id: Schedule.Id) {
      return yield* orNotFound(yield* store.find(id))
    })

    const setEnabled = Effect.fnUntraced(function*(id: Schedule.Id, enabled: boolean) {
      const at = yield* now
      const changed = yield* store.change(
        id,
        Effect.fnUntraced(function*(schedule) {
          if (!enabled && !schedule.enabled) return schedule
          const next_run_at = enabled ? yield* nextOf(schedule, at) : schedule.next_run_at
          return { ...schedule, enabled, next_run_at, updated_at: at }
        })
      )
      return Schedule.toState(yield* orNotFound(changed))
    }, Effect.catchTag("ScheduleNameTaken", Effect.die))

    return handlers.handleAll({
      list: Effect.fn("Schedules.list")(function*({ query }) {
        const { schedules, total } = yield* store.list({ enabled: query.enabled }, query)
        return JsonAnswer.of(Pagination.answer(query, schedules, total))
      }, orUnavailable),
      create: Effect.fn("Schedules.create")(function*({ payload }) {
        const at = yield* now
        const { cron_expr, timezone = "UTC" } = payload
        const next_run_at = yield* nextOf({ cron_expr, timezone }, at)
        const schedule = Schedule.make(payload, { at, id: Schedule.Id.make((yield* NewId)()), next_run_at })
        yield* Effect.catchTag(store.create(schedule), "ScheduleNameTaken", nameTaken)
        return schedule
      }, orUnavailable),
      get: Effect.fn("Schedules.get")(({ params }) => found(params.schedule_id), orUnavailable),
      update: Effect.fn("Schedules.update")(function*({ params, payload }) {
        const changed = yield* Effect.catchTag(
          store.change(params.schedule_id, patch(payload, yield* now)),
          "ScheduleNameTaken",
          nameTaken
        )
        return yield* orNotFound(changed)
      }, orUnavailable),
      remove: Effect.fn("Schedules.remove")(function*({ params }) {
        if (!(yield* store.remove(params.schedule_id))) return yield* notFound
      }, orUnavailable),
      enable: Effect.fn("Schedules.enable")(({ params }) => setEnabled(params.schedule_id, true), orUnavailable),
      disable: Effect.fn("Schedules.disable")(
        ({ params }) => Effect.catchTag(setEnabled(params.schedule_id, false), "Invalid", Effect.die),
        orUnavailable
      ),
      trigger: Effect.fn("Schedules.trigger")(function*({ params }) {
        const { enabled } = yield* found(params.schedule_id)
        if (!enabled) return yield* Errors.conflict("Schedule is disabled")
        return yield* Errors.unavailable("Scheduler is not running")
      }, orUnavailable),
      preview: Effect.fn("Schedules.preview")(function*({ params, query }) {
        const schedule = yield* found(params.schedule_id)
        const times = yield* Effect.mapError(
          Effect.fromResult(CronExpression.upcoming(schedule, yield* now, query.count)),
          refused
        )
        return { schedule_id: schedule.id, timezone: schedule.timezone, times }
      }, orUnavailable),
      listRuns: Effect.fn("Schedules.listRuns")(function*({ params, query }) {
        yield* found(params.schedule_id)
        const { runs, total } = yield* store.runs(params.schedule_id, query)
        return JsonAnswer.of(Pagination.answer(query, runs, total))
      }, orUnavailable),
      getRun: Effect.fn("Schedules.getRun")(function*({ params }) {
        const run = yield* store.findRun(params.schedule_id, params.run_id)
        return Option.isSome(run) ? run.value : yield* Errors.notFound("Schedule run not found")
      }, orUnavailable)
    })
  })
)
