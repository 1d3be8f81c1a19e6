// Schedules that the code of the application declares.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import { NewId } from "@svc-runtime/engine/NewId"
import { madeOf } from "@svc-runtime/engine/userCode/Mistake"
import { Duration, Effect, Option, Predicate, Result } from "effect"
import { DeclarationRefused, decoderOf, type Item, type Kind } from "../declarations/Declaration.ts"
import * as DeclaredComponent from "../declarations/DeclaredComponent.ts"
import * as CronExpression from "./CronExpression.ts"
import * as Schedule from "./Schedule.ts"
import * as ScheduleChecks from "./ScheduleChecks.ts"
import { ScheduleStore } from "./ScheduleStore.ts"
import { Scheduling } from "./Scheduling.ts"

interface Common {
  /** At most 255 letters, digits, spaces, `.`, `_` and `-`. */
  readonly name: string
  /** What it is for. Default: none. */
  readonly description?: string | undefined
  /** Such as `0 9 * * mon-fri`. */
  readonly cron: string
  /** The name of a zone, such as `Europe/Berlin`. Default: `UTC`. */
  readonly timezone?: string | undefined
  /** Of one attempt. Default: an hour. */
  readonly timeout?: Duration.Input | undefined
  /** How often a failed attempt is repeated. Default: 0. */
  readonly maxRetries?: number | undefined
  /** The delay before a failed attempt is repeated. Default: a minute. */
  readonly retryDelay?: Duration.Input | undefined
  /** What is executed of times that were missed because no node ran. Default: `one`. */
  readonly catchUp?: Schedule.CatchUp | undefined
  /** Missed times that are older are not executed. Default: a year. */
  readonly catchUpWindow?: Duration.Input | undefined
  /** What happens at a time during a run. Default: `skip`. */
  readonly overlap?: Schedule.Overlap | undefined
  /** A run begins up to this much later. Default: 0. */
  readonly jitter?: Duration.Input | undefined
}

/** It runs an agent, a team or a workflow, and may do nothing else. */
interface OfComponent extends Common {
  /** One of this service, or the kind and the id of a stored one. */
  readonly component: DeclaredComponent.Component
  /** The message of the run, or its fields, such as `{ message: "Write the report.", session_id: "reports" }`. */
  readonly payload?: Json.Object | string | undefined
  readonly endpoint?: undefined
}

/** It sends another request to this service, as `__scheduler__`. */
interface OfRequest extends Common {
  readonly component?: undefined
  /** A path of this service. */
  readonly endpoint: string
  /** The fields of the request. */
  readonly payload?: Json.Object | undefined
  /** The method of the request. Default: `POST`. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined
}

export type Declaration = OfComponent | OfRequest

const seconds = (duration: Duration.Input | undefined): number | undefined =>
  duration === undefined ? undefined : Duration.toSeconds(duration)

const endpointOf = (declared: Declaration): string => {
  if (declared.component === undefined) return declared.endpoint
  const { id, kind } = DeclaredComponent.refOf(declared.component)
  return `/${ComponentKind.descriptions[kind].resource}/${encodeURIComponent(id)}/runs`
}

/** As a request would have it. */
const requestOf = (declared: Declaration): Json.Object => ({
  name: declared.name,
  cron_expr: declared.cron,
  endpoint: endpointOf(declared),
  ...Object.fromEntries(
    Object.entries({
      method: declared.component === undefined ? declared.method : undefined,
      description: declared.description,
      payload: Predicate.isString(declared.payload) ? { message: declared.payload } : declared.payload,
      timezone: declared.timezone,
      timeout_seconds: seconds(declared.timeout),
      max_retries: declared.maxRetries,
      retry_delay_seconds: seconds(declared.retryDelay),
      catch_up: declared.catchUp,
      catch_up_window_seconds: seconds(declared.catchUpWindow),
      overlap: declared.overlap,
      jitter_seconds: seconds(declared.jitter)
    }).filter(([, value]) => value !== undefined)
  )
})

const decode = decoderOf(Schedule.Create, {
  cron_expr: "cron",
  timeout_seconds: "timeout",
  max_retries: "maxRetries",
  retry_delay_seconds: "retryDelay",
  catch_up: "catchUp",
  catch_up_window_seconds: "catchUpWindow",
  jitter_seconds: "jitter"
})

/** A component of the code that the service does not have. */
const toServe = ({ component }: Declaration, { field }: ScheduleChecks.Problem): string => {
  const made = field === "endpoint" && component !== undefined ? madeOf(component) : undefined
  return made === undefined ? "" : `. Add it to ${made.kind.toLowerCase()}s: [ … ]`
}

const undeclared = "The code of the service does not declare it any more"

export const kind = Effect.fnUntraced(function*(declared: ReadonlyArray<Declaration>) {
  const [store, scheduling, newId] = [yield* ScheduleStore, yield* Scheduling, yield* NewId]
  const checks = yield* ScheduleChecks.make
  const problems: Array<string> = []
  const items: Array<Item> = []

  for (const each of declared) {
    const subject = `The schedule '${each.name}'`
    const request = requestOf(each)
    const decoded = decode(request)
    if (Result.isFailure(decoded)) {
      problems.push(`${subject}: ${decoded.failure}`)
      continue
    }
    const fields = decoded.success
    const made = (at: number, id: string, next_run_at: number) =>
      Schedule.make(fields, { at, author: null, id: Schedule.Id.make(id), next_run_at })
    const next = (at: number) => CronExpression.next({ timezone: "UTC", ...fields }, at)
    const now = yield* store.now
    const nextAt = next(now)
    if (Result.isFailure(nextAt)) problems.push(`${subject}: ${nextAt.failure.message}`)
    const schedule = made(now, "", now)
    const problem = (yield* checks.problemOf(schedule)) ?? checks.forbidden(schedule)
    if (problem !== undefined) problems.push(`${subject}: ${problem.message}${toServe(each, problem)}`)
    const taken = () =>
      Effect.fail(
        new DeclarationRefused({
          message: `${subject} exists already, made by a request. Delete it, or declare another name`
        })
      )
    const nextOf = (at: number) => Effect.orDie(Effect.fromResult(next(at)))
    items.push({
      name: each.name,
      content: request,
      create: Effect.gen(function*() {
        const at = yield* store.now
        const schedule = made(at, newId(), yield* nextOf(at))
        if (!(yield* store.create(schedule, scheduling.limits.schedules))) {
          return yield* new DeclarationRefused({
            message: `${subject} is one too many: at most ${scheduling.limits.schedules} (MAX_SCHEDULES)`
          })
        }
        return schedule.id
      }).pipe(Effect.catchTag("ScheduleNameTaken", taken)),
      change: (id) =>
        Effect.gen(function*() {
          const at = yield* store.now
          const changed = yield* store.change(
            Schedule.Id.make(id),
            Effect.fnUntraced(function*(before) {
              const next_run_at = yield* nextOf(at)
              const isBack = before.paused_reason === undeclared
              const enabled = isBack || before.enabled
              const { consecutive_failures, created_at, paused_reason } = before
              return {
                ...made(at, before.id, enabled ? next_run_at : before.next_run_at ?? next_run_at),
                created_at,
                updated_at: at,
                enabled,
                consecutive_failures: isBack ? 0 : consecutive_failures,
                paused_reason: isBack ? null : paused_reason
              }
            })
          )
          return Option.map(changed, ({ id }) => id)
        }).pipe(Effect.catchTag("ScheduleNameTaken", taken))
    })
  }

  const kind: Kind = {
    kind: "schedule",
    items,
    problems,
    remove: Effect.fnUntraced(function*(given) {
      const id = Schedule.Id.make(given)
      const { total } = yield* store.runs(id, { page: 1, limit: 1 })
      if (total === 0) {
        yield* store.remove(id)
        return true
      }
      yield* Effect.catchTag(
        store.change(id, (schedule) =>
          Effect.map(store.now, (at) => ({
            ...schedule,
            enabled: false,
            paused_reason: undeclared,
            updated_at: at
          }))),
        "ScheduleNameTaken",
        Effect.die
      )
      return false
    }),
    changed: Effect.sync(scheduling.changed.notify)
  }
  return [kind]
})
