// The times of cron expressions by another way than the service: every minute is looked at, with the clock of its zone
// as `Intl` shows it.

interface Fields {
  readonly minute: ReadonlySet<number>
  readonly hour: ReadonlySet<number>
  readonly day: ReadonlySet<number>
  readonly month: ReadonlySet<number>
  readonly weekday: ReadonlySet<number>
  readonly seconds: ReadonlyArray<number>
  /** A day field that begins with `*`: both have to match. */
  readonly isBoth: boolean
  /** Times that a clock shows twice count twice. */
  readonly isRepeated: boolean
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const valuesOf = (field: string, low: number, high: number, names: ReadonlyArray<string> = []): Set<number> => {
  const numberOf = (text: string) => names.includes(text) ? names.indexOf(text) + low : Number(text)
  return new Set(
    field.split(",").flatMap((part) => {
      const [range = "", step = "1"] = part.split("/")
      const [from = "", to = part.includes("/") ? String(high) : from] = range === "*"
        ? [`${low}`, `${high}`]
        : range.split("-")
      return Array.from({ length: high - low + 1 }, (_, index) => low + index)
        .filter((value) =>
          value >= numberOf(from) && value <= numberOf(to) && (value - numberOf(from)) % Number(step) === 0
        )
    })
  )
}

const fieldsOf = (expression: string): Fields => {
  const [minute = "", hour = "", day = "", month = "", weekday = "", second = "0"] = expression.split(" ")
  return {
    minute: valuesOf(minute, 0, 59),
    hour: valuesOf(hour, 0, 23),
    day: valuesOf(day, 1, 31),
    month: valuesOf(month, 1, 12, months),
    weekday: valuesOf(weekday, 0, 6, weekdays),
    seconds: [...valuesOf(second, 0, 59)],
    isBoth: day.startsWith("*") || weekday.startsWith("*"),
    isRepeated: /^\*(\/\d+)?$/.test(hour)
  }
}

const [minuteMillis, quarter] = [60_000, 900_000]

/** Milliseconds by which the clock of a zone is ahead. Clocks are changed at a quarter of an hour. */
export const offsetsOf = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric"
  })
  const known = new Map<number, number>()
  return (time: number): number => {
    const from = Math.floor(time / quarter) * quarter
    let offset = known.get(from)
    if (offset === undefined) {
      const parts = Object.fromEntries(format.formatToParts(from).map(({ type, value }) => [type, Number(value)]))
      const { day = 0, hour = 0, minute = 0, month = 0, year = 0 } = parts
      offset = Date.UTC(year, month - 1, day, hour, minute) - from
      known.set(from, offset)
    }
    return offset
  }
}

/** The times from `from` until before `until`, in epoch seconds. Both are in epoch milliseconds. */
export const timesOf = (
  expression: string,
  offsetAt: (time: number) => number,
  from: number,
  until: number
): ReadonlyArray<number> => {
  const fields = fieldsOf(expression)
  const found = new Set<number>()
  /** A minute as the clock shows it, in milliseconds as if it were of UTC. */
  const matches = (wall: number) => {
    const date = new Date(wall)
    if (!fields.minute.has(date.getUTCMinutes()) || !fields.hour.has(date.getUTCHours())) return false
    const [isDay, isWeekday] = [fields.day.has(date.getUTCDate()), fields.weekday.has(date.getUTCDay())]
    return fields.month.has(date.getUTCMonth() + 1) && (fields.isBoth ? isDay && isWeekday : isDay || isWeekday)
  }
  const add = (time: number) => {
    for (const second of fields.seconds) if (time >= from && time < until) found.add(time / 1000 + second)
  }
  // a gap before the beginning can move times behind it
  let offset = offsetAt(from - 2 * 86_400_000)
  /** The end of the time that the clock shows for the second time, in milliseconds as if it were of UTC. */
  let shown = -Infinity
  for (let time = from - 2 * 86_400_000; time < until; time += minuteMillis) {
    const current = time % quarter === 0 ? offsetAt(time) : offset
    if (current > offset) {
      for (let skipped = 0; skipped < current - offset; skipped += minuteMillis) {
        if (matches(time + offset + skipped)) add(time + skipped)
      }
    }
    if (current < offset) shown = time + offset
    offset = current
    if ((time + offset >= shown || fields.isRepeated) && matches(time + offset)) add(time)
  }
  return [...found].sort((left, right) => left - right)
}
