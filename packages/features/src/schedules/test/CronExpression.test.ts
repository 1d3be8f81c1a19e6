// The times of cron expressions, with changes of clocks in five zones, and what is refused.
import { assert, describe, it, vi } from "@effect/vitest"
import { Result } from "effect"
import * as CronExpression from "../CronExpression.ts"

const seconds = (time: string) => Date.parse(time) / 1000

const timesOf = (cron_expr: string, timezone: string, after: string, count: number) => {
  const times: Array<string> = []
  for (let last = seconds(after); times.length < count;) {
    last = Result.getOrThrow(CronExpression.next({ cron_expr, timezone }, last))
    times.push(new Date(last * 1000).toISOString().replace(":00.000Z", "Z"))
  }
  return times
}

describe("cron expressions", () => {
  it.each([
    ["30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:30Z 2027-03-29T00:30Z"],
    ["30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", "2027-10-31T00:30Z 2027-11-01T01:30Z"],
    ["0 * * * *", "Europe/Berlin", "2027-10-30T23:30:00Z", "2027-10-31T00:00Z 2027-10-31T01:00Z 2027-10-31T02:00Z"],
    ["*/30 * * * *", "Europe/Berlin", "2027-10-31T00:30:00Z", "2027-10-31T01:00Z 2027-10-31T01:30Z"],
    ["30 1 * * *", "America/New_York", "2027-11-06T12:00:00Z", "2027-11-07T05:30Z 2027-11-08T06:30Z"],
    ["0 0 * * *", "Asia/Beirut", "2027-03-27T12:00:00Z", "2027-03-27T22:00Z 2027-03-28T21:00Z"],
    ["15 2 * * *", "Australia/Lord_Howe", "2027-10-02T12:00:00Z", "2027-10-02T15:45Z 2027-10-03T15:15Z"],
    ["*/20 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:00Z 2027-03-28T01:20Z 2027-03-28T01:40Z"],
    ["15,40 * * * *", "Australia/Lord_Howe", "2027-10-02T15:10:00Z", "2027-10-02T15:40Z 2027-10-02T15:45Z"],
    ["0 9 * * 1-5", "Asia/Kolkata", "2027-01-01T12:00:00Z", "2027-01-04T03:30Z 2027-01-05T03:30Z"],
    ["0 0 1 * mon", "UTC", "2027-01-30T00:00:00Z", "2027-02-01T00:00Z 2027-02-08T00:00Z"],
    ["@daily", "UTC", "2027-01-30T00:00:00Z", "2027-01-31T00:00Z"],
    ["@Weekly", "UTC", "2027-01-30T00:00:00Z", "2027-01-31T00:00Z"],
    ["0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00Z"]
  ])("%s in %s after %s is at %s", (cron_expr, timezone, after, expected) => {
    const times = expected.split(" ")
    assert.deepStrictEqual(timesOf(cron_expr, timezone, after, times.length), times)
  })

  it("a sixth field at the end has the seconds", () => {
    const next = CronExpression.next({ cron_expr: "* * * * * */20", timezone: "UTC" }, 60)
    assert.deepStrictEqual(next, Result.succeed(80))
  })

  it.each([
    ["0 0 30 2 *", "UTC", "cron_expr", "Invalid cron expression: 0 0 30 2 * never matches a date"],
    ["constructor", "UTC", "cron_expr", "Invalid cron expression: constructor does not have 5 or 6 fields"],
    ["__proto__", "UTC", "cron_expr", "Invalid cron expression: __proto__ does not have 5 or 6 fields"],
    ["61 * * * *", "UTC", "cron_expr", "Invalid cron expression: minute 61: Expected a value between 0 and 59"],
    [
      "* * * * mon-x",
      "UTC",
      "cron_expr",
      "Invalid cron expression: day of the week mon-x: Expected a positive integer"
    ],
    [
      "*/0 * * * *",
      "UTC",
      "cron_expr",
      "Invalid cron expression: minute */0: Expected step value to be greater than 0"
    ],
    ["* * *", "UTC", "cron_expr", "Invalid cron expression: * * * does not have 5 or 6 fields"],
    ["@never", "UTC", "cron_expr", "Invalid cron expression: @never does not have 5 or 6 fields"],
    ["* * * * *", "Mars/Olympus", "timezone", "Invalid timezone: Mars/Olympus"],
    ["* * * * *", "+02:00", "timezone", "Invalid timezone: +02:00"],
    ["x", "Mars/Olympus", "cron_expr", "Invalid cron expression: x does not have 5 or 6 fields"]
  ])("%s in %s is refused for its %s", (cron_expr, timezone, field, message) => {
    const problem: object = Result.getOrThrow(Result.flip(CronExpression.next({ cron_expr, timezone }, 0)))
    assert.deepStrictEqual(problem, { field, message })
  })

  it("an expression that never matches is refused without a search, which would block the node", () => {
    const dates = vi.spyOn(Date.prototype, "setUTCDate")
    const months = vi.spyOn(Date.prototype, "setUTCMonth")
    const times = { cron_expr: "0 0 30 2 *", timezone: "Europe/Berlin" }
    const after = seconds("2027-01-01T00:00:00Z")
    const all: ReadonlyArray<Result.Result<unknown, CronExpression.CronProblem>> = [
      CronExpression.next(times, after),
      CronExpression.upcoming(times, after, 100)
    ]
    const steps = [...dates.mock.calls, ...months.mock.calls]
    vi.restoreAllMocks()
    assert.deepStrictEqual(steps, [])
    for (const refused of all) {
      assert.strictEqual(
        Result.isFailure(refused) ? refused.failure.message : undefined,
        "Invalid cron expression: 0 0 30 2 * never matches a date"
      )
    }
  })
})
