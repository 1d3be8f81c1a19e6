// Cron expressions: five fields, a sixth one for seconds at the end, or a macro such as `@daily`. A time that the clock
// of the zone skips is moved behind the gap. One that it shows twice counts twice only if the hour is not fixed.
import { Cron, DateTime, Option, Result } from "effect"

export interface CronProblem {
  readonly field: "cron_expr" | "timezone"
  readonly message: string
}

const macros: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *"
}

const everyHour = /^\*(\/\d+)?$/

/** An offset such as `+02:00` is no name of a zone. */
const zoneName = /^[A-Za-z][A-Za-z0-9_+\-/]*$/

const zoneOf = (name: string): Option.Option<DateTime.TimeZone> =>
  zoneName.test(name) ? DateTime.zoneMakeNamed(name) : Option.none()

const invalid = (reason: string) =>
  Result.fail<CronProblem>({ field: "cron_expr", message: `Invalid cron expression: ${reason}` })

const fieldNames = ["second", "minute", "hour", "day of the month", "month", "day of the week"]

/** Why the fields are refused: the first field that is invalid beside valid ones. */
const problemIn = (fields: ReadonlyArray<string>, message: string): string => {
  for (const [index, field] of fields.entries()) {
    const alone = Cron.parse(fieldNames.map((_, other) => other === index ? field : "*").join(" "))
    if (Result.isFailure(alone)) return `${fieldNames[index]} ${field}: ${alone.failure.message}`
  }
  return message
}

const parsed = (expression: string, zone: DateTime.TimeZone): Result.Result<Cron.Cron, CronProblem> => {
  const fields = (macros[expression.trim().toLowerCase()] ?? expression).trim().split(/\s+/)
  if (fields.length !== 5 && fields.length !== 6) return invalid(`${expression} does not have 5 or 6 fields`)
  const seconds = fields.length === 6 ? fields.pop() ?? "0" : "0"
  const onDstOverlap = everyHour.test(fields[1] ?? "") ? "both" : "earlier"
  const all = [seconds, ...fields]
  return Result.orElse(
    Cron.parse(all.join(" "), zone, { onDstOverlap }),
    ({ message }) => invalid(problemIn(all, message))
  )
}

/** The first time after this one, in epoch seconds. None if there is no further one. */
const nextOf = (cron: Cron.Cron, after: number): Option.Option<number> =>
  Option.map(
    Option.liftThrowable(() => Cron.next(cron, after * 1000))(),
    (date) => Math.floor(date.getTime() / 1000)
  )

export interface Times {
  readonly cron_expr: string
  readonly timezone: string
}

/** The times of an expression, in epoch seconds. */
export interface Parsed {
  /** The first time after `after`. None if there is no further one. */
  readonly next: (after: number) => Option.Option<number>
}

export const parse = ({ cron_expr, timezone }: Times): Result.Result<Parsed, CronProblem> => {
  const zone = zoneOf(timezone)
  const cron = parsed(cron_expr, Option.getOrElse(zone, () => DateTime.zoneMakeOffset(0)))
  if (Result.isFailure(cron)) return Result.fail(cron.failure)
  if (Option.isNone(nextOf(cron.success, 0))) return invalid(`${cron_expr} never matches a date`)
  return Option.isNone(zone)
    ? Result.fail({ field: "timezone", message: `Invalid timezone: ${timezone}` })
    : Result.succeed({ next: (after) => nextOf(cron.success, after) })
}

/** The first times after `after`, fewer if there are no more. */
export const upcoming = (times: Times, after: number, count: number): Result.Result<Array<number>, CronProblem> =>
  Result.map(parse(times), ({ next }) => {
    const found: Array<number> = []
    for (let time = next(after); Option.isSome(time) && found.length < count; time = next(time.value)) {
      found.push(time.value)
    }
    return found
  })

/** Epoch seconds of the first time after `after`. */
export const next = (times: Times, after: number): Result.Result<number, CronProblem> =>
  Result.flatMap(
    upcoming(times, after, 1),
    ([first]) => first === undefined ? invalid(`${times.cron_expr} never matches a date`) : Result.succeed(first)
  )
