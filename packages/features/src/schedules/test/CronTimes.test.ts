// The times of cron expressions in zones whose clocks are changed, against every minute of two years.
import { assert, describe, it } from "@effect/vitest"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Option, Result } from "effect"
import * as CronExpression from "../CronExpression.ts"
import * as CronOracle from "./CronOracle.ts"

const years = [Date.UTC(2025, 0, 1), Date.UTC(2027, 0, 1)] as const

const zones: Readonly<Record<string, readonly [from: number, until: number]>> = {
  "Europe/Berlin": years,
  "America/New_York": years,
  // half an hour
  "Australia/Lord_Howe": years,
  "America/St_Johns": years,
  "Australia/Sydney": years,
  "Africa/Cairo": years,
  "Asia/Tehran": [Date.UTC(2021, 0, 1), Date.UTC(2023, 0, 1)],
  // back for Ramadan
  "Africa/Casablanca": years,
  "Africa/El_Aaiun": years,
  // two hours
  "Antarctica/Troll": years,
  // a day was left out
  "Pacific/Apia": [Date.UTC(2011, 0, 1), Date.UTC(2013, 0, 1)],
  "Asia/Kathmandu": years,
  "Pacific/Chatham": years,
  "America/Santiago": years,
  "Asia/Gaza": years,
  UTC: years
}

const expressions = [
  "30 2 * * *",
  "0 0 * * *",
  "15,45 0-4 * * *",
  "*/15 * * * *",
  "15,40 * * * *",
  "*/20 2 * * *",
  "0 */2 * * *",
  "5 */3 * * *",
  "30 1 * * * 15,45",
  "*/5 3 * * * 0",
  "0 2 1 * sun",
  "30 23 13 * fri",
  "0 9 * * mon-fri",
  "0 2 */2 * sun",
  "0 3 29 2 *",
  "0 9 30 12 *",
  "45 2 25-31 mar,oct sun"
]

const day = 86_400_000

const offsets = new Map(Object.keys(zones).map((zone) => [zone, CronOracle.offsetsOf(zone)]))

/** Noon of the days around which a clock is changed. */
const changesOf = (zone: string): ReadonlyArray<number> => {
  const offsetAt = offsets.get(zone) ?? (() => 0)
  const [from, until] = zones[zone] ?? years
  const days = Array.from({ length: (until - from) / day - 6 }, (_, index) => from + (index + 3) * day)
  const changed = days.filter((time) => offsetAt(time) !== offsetAt(time + day))
  return changed.length === 0 ? days.slice(0, 1) : changed
}

const actual = (cron_expr: string, timezone: string, from: number, until: number) => {
  const { next } = Result.getOrThrow(CronExpression.parse({ cron_expr, timezone }))
  const times: Array<number> = []
  for (
    let time = next(from / 1000 - 1);
    Option.isSome(time) && time.value * 1000 < until;
    time = next(time.value)
  ) {
    times.push(time.value)
  }
  return times
}

const compare = (expression: string, zone: string, from: number, until: number) => {
  const expected = CronOracle.timesOf(expression, offsets.get(zone) ?? (() => 0), from, until)
  const found = actual(expression, zone, from, until)
  const shown = (times: ReadonlyArray<number>, others: ReadonlyArray<number>) => {
    const known = new Set(others)
    return times.filter((time) => !known.has(time)).slice(0, 5).map((time) => new Date(time * 1000).toISOString())
  }
  const about = `${expression} in ${zone} from ${new Date(from).toISOString()}`
  assert.deepStrictEqual([shown(found, expected), shown(expected, found)], [[], []], about)
  assert.strictEqual(found.length, expected.length, about)
}

const all = Object.keys(zones).flatMap((zone) => expressions.map((expression) => ({ expression, zone })))

describe("times of cron expressions", () => {
  it("around changes of clocks, an observer of every minute finds the same times", () => {
    const random = Seed.random("cron expressions")
    for (let count = 0; count < Tier.size(12, 300); count++) {
      const { expression, zone } = all[Math.floor(random() * all.length)] ?? { expression: "", zone: "" }
      const changes = changesOf(zone)
      const change = changes[Math.floor(random() * changes.length)] ?? 0
      // a search can begin at any second
      const from = change - Math.floor(random() * 2 * day / 60_000) * 60_000
      compare(expression, zone, from, change + 3 * day)
    }
  })

  it.runIf(Tier.size(0, 1) === 1)(
    "in two years, an observer of every minute finds the same times",
    () => {
      // those of every hour are compared around the changes
      for (const { expression, zone } of all.filter(({ expression }) => !/^\S+ \*/.test(expression))) {
        compare(expression, zone, ...(zones[zone] ?? years))
      }
    },
    900_000
  )
})
