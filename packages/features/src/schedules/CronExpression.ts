// Cron expressions: five fields, a sixth one for seconds at the end, or a macro such as `@daily`. A time that the clock
// of the zone skips is moved behind the gap. One that it shows twice counts twice only if the hour is not fixed.
import { Cron, DateTime, Option, Result } from "effect"

export interface CronProblem {
  readonly field: "cron_expr" | "timezone"
  readonly message: string
}

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"]
])

const everyHour = /^\*(\/\d+)?$/

/** An offset such as `+02:00` is no name of a zone. */
const zoneName = /^[A-Za-z][A-Za-z0-9_+\-/]*$/

const zoneOf = (name: string): Option.Option<DateTime.TimeZone> =>
  zoneName.test(name) ? DateTime.zoneMakeNamed(name) : Option.none()

/** Whether the clock of a zone is never changed. */
const isUnchanged = (zone: DateTime.TimeZone): boolean => DateTime.isTimeZoneOffset(zone) || zone.id === "UTC"

const invalid = (reason: string) =>
  Result.fail<CronProblem>({ field: "cron_expr", message: `Invalid cron expression: ${reason}` })

const neverMatches = (expression: string) => invalid(`${expression} never matches a date`)

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
  const fields = (macros.get(expression.trim().toLowerCase()) ?? expression).trim().split(/\s+/)
  if (fields.length !== 5 && fields.length !== 6) return invalid(`${expression} does not have 5 or 6 fields`)
  const seconds = fields.length === 6 ? fields.pop() ?? "0" : "0"
  // the search for both takes twice as long
  const onDstOverlap = everyHour.test(fields[1] ?? "") && !isUnchanged(zone) ? "both" : "earlier"
  const all = [seconds, ...fields]
  return Result.orElse(
    Cron.parse(all.join(" "), zone, { onDstOverlap }),
    ({ message }) => invalid(problemIn(all, message))
  )
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether no month has one of the days. A search would look for them through centuries. */
const isWithoutDate = ({ days, months, weekdays }: Cron.Cron): boolean =>
  days.size > 0 && weekdays.size === 0 &&
  longestMonths.every((length, index) =>
    (months.size > 0 && !months.has(index + 1)) || [...days].every((day) => day > length)
  )

/** The first time after this one, in epoch seconds. None if there is no further one. */
const nextIn = (cron: Cron.Cron, after: number): Option.Option<number> =>
  Option.map(
    Option.liftThrowable(() => Cron.next(cron, after * 1000))(),
    (date) => Math.floor(date.getTime() / 1000)
  )

/** Seconds by which the clock of a zone is ahead. */
const offsetAt = (zone: DateTime.TimeZone, time: number): number =>
  DateTime.zonedOffset(DateTime.makeZonedUnsafe(time * 1000, { timeZone: zone })) / 1000

/** A clock is set forward by no more than a day. */
const day = 86_400

/** The change of a clock whose skipped times, moved behind it, are around a time, if there is one. */
const gapAround = (zone: DateTime.TimeZone, time: number) => {
  const [before, after] = [offsetAt(zone, time - day), offsetAt(zone, time)]
  const seconds = after - before
  if (seconds <= 0 || offsetAt(zone, time - seconds) !== before) return undefined
  let [low, high] = [time - seconds, time]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === before) low = middle
    else high = middle
  }
  return { at: high, until: high + seconds, clocks: [before, after] }
}

/** As `nextIn`, which finds only one of the times that a clock skips, and none of the times that it shows meanwhile. */
const nextOf = (cron: Cron.Cron, after: number): Option.Option<number> => {
  const found = nextIn(cron, after)
  const zone = Option.getOrUndefined(cron.tz)
  if (zone === undefined || isUnchanged(zone) || Option.isNone(found)) return found
  const isNear = found.value - after < day
  if (isNear && offsetAt(zone, after - day) === offsetAt(zone, found.value)) return found
  const gap = gapAround(zone, after) ?? gapAround(zone, found.value)
  if (gap === undefined) return found
  const { at, clocks, until } = gap
  const times = clocks.flatMap((offset) => {
    const fixed = Cron.make({ ...cron, tz: DateTime.zoneMakeOffset(offset * 1000) })
    return Option.toArray(nextIn(fixed, Math.max(after, at - 1)))
  })
  return Option.some(Math.min(found.value, ...times.filter((time) => time < until)))
}

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
  if (isWithoutDate(cron.success)) return neverMatches(cron_expr)
  if (Option.isSome(zone)) return Result.succeed({ next: (after) => nextOf(cron.success, after) })
  return Result.fail({ field: "timezone", message: `Invalid timezone: ${timezone}` })
}

/** The first times after `after`, fewer if there are no more. An expression that never matches is refused. */
export const upcoming = (times: Times, after: number, count: number): Result.Result<Array<number>, CronProblem> =>
  Result.gen(function*() {
    const { next } = yield* parse(times)
    const found: Array<number> = []
    let last = after
    while (found.length < count) {
      const time = next(last)
      if (Option.isNone(time)) break
      last = time.value
      found.push(last)
    }
    return found
  })

/** Epoch seconds of the first time after `after`. */
export const next = (times: Times, after: number): Result.Result<number, CronProblem> =>
  Result.flatMap(
    upcoming(times, after, 1),
    ([first]) => first === undefined ? neverMatches(times.cron_expr) : Result.succeed(first)
  )
