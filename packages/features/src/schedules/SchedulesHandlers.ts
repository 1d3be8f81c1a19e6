// Schedules. They belong to the service, so every caller with the scope sees all of them.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Principal from "@svc-runtime/domain/Principal"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import * as Share from "@svc-runtime/engine/limits/Share"
import { NewId } from "@svc-runtime/engine/NewId"
import * as AwaitedEnds from "@svc-runtime/engine/node/AwaitedEnds"
import * as Author from "@svc-runtime/http/authorization/Author"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as FormBody from "@svc-runtime/http/forms/FormBody"
import { group } from "@svc-runtime/http/group"
import * as IdempotencyKey from "@svc-runtime/http/idempotency/IdempotencyKey"
import * as DuringOutage from "@svc-runtime/http/wire/DuringOutage"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { missing, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Declared from "../declarations/Declared.ts"
import * as CronExpression from "./CronExpression.ts"
import * as Schedule from "./Schedule.ts"
import * as ScheduleChecks from "./ScheduleChecks.ts"
import * as ScheduledRun from "./ScheduledRun.ts"
import { ScheduleRunStore } from "./ScheduleRunStore.ts"
import { Schedules as Endpoints } from "./SchedulesApi.ts"
import { type ScheduleNameTaken, ScheduleStore } from "./ScheduleStore.ts"
import { Scheduling } from "./Scheduling.ts"

const notFound = (id: string) => missing("Schedule", id)

const orNotFound = <A>(id: string, found: Option.Option<A>) =>
  Option.match(found, { onNone: () => Effect.fail(notFound(id)), onSome: Effect.succeed })

const nameTaken = ({ message }: ScheduleNameTaken) => Effect.fail(Errors.conflict(message))

const tooManyTriggered = Errors.conflict(
  `The schedule has ${Schedule.maxUnfinished} unfinished runs that were triggered. Wait for the end of one`
)

const refusedIn = (part: "body" | "query") => ({ field, message }: CronExpression.CronProblem) =>
  Errors.invalidValue([part, field], message)

const refused = refusedIn("body")

const nextOf = (schedule: Pick<Schedule.Schedule, "cron_expr" | "timezone">, at: number) =>
  Effect.mapError(Effect.fromResult(CronExpression.next(schedule, at)), refused)

const changedMeanwhile = Errors.conflict("The schedule was changed meanwhile. Send the request again")

type Authored = (schedule: Schedule.Schedule) => Effect.Effect<void, Errors.Forbidden>

type Checked = (schedule: Schedule.Schedule) => Effect.Effect<void, Errors.Invalid | StorageUnavailable>

interface Checks {
  readonly authored: Authored
  readonly checked: Checked
}

const patch = (payload: Schedule.Patch, at: number, { authored, checked }: Checks) =>
  Effect.fnUntraced(function*(schedule: Schedule.Schedule) {
    const changed = Object.keys(payload).length === 0 ? schedule : Schedule.patched(schedule, payload, at)
    yield* authored(changed)
    const { endpoint, method, payload: body } = payload
    if ([endpoint, method, body].some((field) => field !== undefined)) yield* checked(changed)
    if (payload.cron_expr === undefined && payload.timezone === undefined) return changed
    const next_run_at = yield* nextOf(changed, at)
    return changed.enabled ? { ...changed, next_run_at } : changed
  })

/** A schedule does later what its author may do now. The caller is known, so that a change checks the stored one. */
const authoredBy = (author: Author.Author) =>
  CurrentPrincipal.useSync((principal): Authored => (schedule) => {
    const component = ScheduledRun.componentOf(schedule)
    const checked = component === undefined
      ? author.ofRequest(schedule.method, schedule.endpoint)
      : author.ofRuns(component)
    return Effect.provideService(checked, CurrentPrincipal, principal)
  })

/** The same for what it runs. The message names only components that the caller may see. */
const checkedBy = (checks: Effect.Success<typeof ScheduleChecks.make>) =>
  CurrentPrincipal.useSync((principal): Checked => (schedule) =>
    Effect.flatMap(
      checks.problemOf(schedule, (kind, id) => {
        const visible = Principal.visible(principal, ComponentKind.descriptions[kind].resource)
        return visible === "all" || visible.has(id)
      }),
      (problem) =>
        problem === undefined
          ? Effect.void
          : Effect.fail(Errors.invalidValue(["body", problem.field], problem.message))
    )
  )

const bodyOf = ({ text }: HttpServerRequest.HttpServerRequest) => Effect.orElseSucceed(text, () => "")

export const Schedules = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [store, runs, idempotency] = [yield* ScheduleStore, yield* ScheduleRunStore, yield* IdempotencyStore]
    const scheduling = yield* Scheduling
    const duringOutage = yield* DuringOutage.make
    const declared = yield* Declared.of("schedule", "schedule")
    const authored = authoredBy(yield* Author.make)
    const checked = checkedBy(yield* ScheduleChecks.make)

    const lastOf = (first: Schedule.RunId) =>
      Effect.flatMap(
        runs.last(first),
        Option.match({ onNone: () => Effect.fail(missing("Schedule run", first)), onSome: Effect.succeed })
      )

    /** The last attempt, when it has ended. */
    const ended = Effect.fnUntraced(function*(first: Schedule.RunId) {
      for (let attempt = first;;) {
        const hasEnded = ({ id, status }: Schedule.Run) => id !== attempt || status !== "running"
        const last = yield* scheduling.ends.awaiting(
          attempt,
          (ended) => AwaitedEnds.read(lastOf(first), hasEnded, ended)
        )
        if (last.status !== "running") return last
        attempt = last.id
      }
    })

    const found = Effect.fnUntraced(function*(id: Schedule.Id) {
      return yield* orNotFound(id, yield* store.find(id))
    })

    const setEnabled = Effect.fnUntraced(function*(id: Schedule.Id, enabled: boolean) {
      const mayAuthor = yield* authored
      const at = yield* store.now
      const changed = yield* store.change(
        id,
        Effect.fnUntraced(function*(schedule) {
          if (enabled) yield* mayAuthor(schedule)
          else if (!schedule.enabled) return schedule
          const next_run_at = enabled ? yield* nextOf(schedule, at) : schedule.next_run_at
          const cleared = enabled ? { consecutive_failures: 0, paused_reason: null } : {}
          return { ...schedule, ...cleared, enabled, next_run_at, updated_at: at }
        })
      )
      scheduling.changed.notify()
      return Schedule.toState(yield* orNotFound(id, changed))
    }, Effect.catchTag("ScheduleNameTaken", Effect.die))

    return handlers.handleAll({
      list: Effect.fn("Schedules.list")(function*({ query }) {
        const { schedules, total } = yield* store.list({ enabled: query.enabled }, query)
        return JsonResponse.of(Pagination.response(query, yield* declared.markedAll(schedules), total))
      }, orUnavailable),
      create: Effect.fn("Schedules.create")(function*({ payload }) {
        const at = yield* store.now
        const { cron_expr, timezone = "UTC" } = payload
        const next_run_at = yield* nextOf({ cron_expr, timezone }, at)
        const schedule = Schedule.make(payload, { at, id: Schedule.Id.make((yield* NewId)()), next_run_at })
        yield* (yield* authored)(schedule)
        yield* (yield* checked)(schedule)
        const limit = scheduling.limits.schedules
        const user_id = (yield* RequestCaller.actorOfNew(undefined)) ?? undefined
        const isCreated = yield* Effect.catchTag(store.create(schedule, limit, user_id), "ScheduleNameTaken", nameTaken)
        if (!isCreated) {
          const many = `${limit} schedules${Share.text(limit, user_id)}`
          return yield* Errors.conflict(`There are ${many} already (MAX_SCHEDULES). Remove one first`)
        }
        scheduling.changed.notify()
        return { ...schedule, declared: false }
      }, orUnavailable),
      previewCron: Effect.fn("Schedules.previewCron")(function*({ query: { count, cron_expr, timezone = "UTC" } }) {
        const times = CronExpression.upcoming({ cron_expr, timezone }, yield* store.now, count)
        return { timezone, times: yield* Effect.mapError(Effect.fromResult(times), refusedIn("query")) }
      }, orUnavailable),
      get: Effect.fn("Schedules.get")(
        ({ params }) => Effect.flatMap(found(params.schedule_id), declared.marked),
        orUnavailable
      ),
      update: Effect.fn("Schedules.update")(function*({ params, payload }) {
        yield* declared.refuse(params.schedule_id)
        const changed = yield* Effect.catchTag(
          store.change(
            params.schedule_id,
            patch(payload, yield* store.now, { authored: yield* authored, checked: yield* checked })
          ),
          "ScheduleNameTaken",
          nameTaken
        )
        scheduling.changed.notify()
        return { ...yield* orNotFound(params.schedule_id, changed), declared: false }
      }, orUnavailable),
      remove: Effect.fn("Schedules.remove")(function*({ params }) {
        yield* declared.refuse(params.schedule_id)
        if (!(yield* store.remove(params.schedule_id))) return yield* notFound(params.schedule_id)
      }, orUnavailable),
      enable: Effect.fn("Schedules.enable")(({ params }) => setEnabled(params.schedule_id, true), orUnavailable),
      disable: Effect.fn("Schedules.disable")(
        ({ params }) => Effect.catchTag(setEnabled(params.schedule_id, false), ["Forbidden", "Invalid"], Effect.die),
        orUnavailable
      ),
      trigger: Effect.fn("Schedules.trigger")(function*({ params, request }) {
        const schedule = yield* found(params.schedule_id)
        yield* (yield* authored)(schedule)
        const { enabled, id } = schedule
        const schedule_run_id = (yield* NewId)()
        const claimed = yield* IdempotencyKey.claim(idempotency, {
          request,
          fingerprint: FormBody.fingerprintOf({ fields: { body: yield* bodyOf(request) }, files: [] }),
          subject: { schedule_run_id }
        })
        const run = Schedule.RunId.make(String(claimed?.subject["schedule_run_id"] ?? schedule_run_id))
        const named = { subject: `Run '${run}'`, path: `/schedules/${id}/runs/${run}` }
        const isRepeated = claimed !== undefined && Option.isSome(yield* runs.last(run))
        if (!isRepeated) {
          if (!enabled) return yield* Errors.conflict("Schedule is disabled")
          if (!scheduling.limits.isEnabled) return yield* Errors.unavailable("Scheduler is not running")
          const triggering = runs.trigger(schedule, run, yield* TraceContext.around)
          const triggered = yield* duringOutage.store(triggering, named)
          if (triggered === "full") return yield* tooManyTriggered
          if (triggered === "changed") return yield* Effect.andThen(found(id), Effect.fail(changedMeanwhile))
          scheduling.enqueued.notify()
        }
        return yield* duringOutage.awaitEnd(ended(run), named)
      }, orUnavailable),
      preview: Effect.fn("Schedules.preview")(function*({ params, query }) {
        const schedule = yield* found(params.schedule_id)
        const times = yield* Effect.mapError(
          Effect.fromResult(CronExpression.upcoming(schedule, yield* store.now, query.count)),
          refused
        )
        return { schedule_id: schedule.id, timezone: schedule.timezone, times }
      }, orUnavailable),
      listRuns: Effect.fn("Schedules.listRuns")(function*({ params, query }) {
        yield* found(params.schedule_id)
        const { runs, total } = yield* store.runs(params.schedule_id, query)
        return JsonResponse.of(Pagination.response(query, runs, total))
      }, orUnavailable),
      getRun: Effect.fn("Schedules.getRun")(function*({ params }) {
        const run = yield* store.findRun(params.schedule_id, params.run_id)
        return Option.isSome(run) ? run.value : yield* missing("Schedule run", params.run_id)
      }, orUnavailable)
    })
  })
)
