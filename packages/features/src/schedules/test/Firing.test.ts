// The times at which a schedule is executed when it is due, by what it says about missed ones.
import { assert, describe, it } from "@effect/vitest"
import * as Firing from "../Firing.ts"
import * as Schedule from "../Schedule.ts"
import type { DueSchedule } from "../ScheduleRunStore.ts"

const due = (fields: Partial<DueSchedule> = {}): DueSchedule => ({
  id: Schedule.Id.make("schedule"),
  cron_expr: "* * * * *",
  timezone: "UTC",
  catch_up: "one",
  catch_up_window_seconds: 86_400,
  jitter_seconds: 0,
  next_run_at: 6000,
  ...fields
})

const fired = (fields: Partial<DueSchedule>, at: number) => {
  const { firing, isMissed } = Firing.make(due(fields), at, () => "id")
  return { times: firing.slots.map(({ slot }) => slot), next: firing.next_run_at, isMissed }
}

describe("a due schedule", () => {
  it.each<readonly [Partial<DueSchedule>, number, ReadonlyArray<number>, number]>([
    [{}, 6000, [6000], 6060],
    [{}, 6059, [6000], 6060],
    [{ catch_up: "skip" }, 6120, [6060, 6120], 6180],
    [{ catch_up: "skip" }, 9610, [9600], 9660],
    [{ catch_up: "one" }, 9610, [9600], 9660],
    [{ catch_up: "skip", cron_expr: "0 * * * *", next_run_at: 3600 }, 7300, [], 10_800],
    [{ catch_up: "one", cron_expr: "0 * * * *", next_run_at: 3600 }, 12_000, [10_800], 14_400],
    [{ catch_up: "one", cron_expr: "0 * * * *", next_run_at: 3600, catch_up_window_seconds: 60 }, 12_000, [], 14_400],
    [{ catch_up: "all", cron_expr: "0 * * * *", next_run_at: 3600 }, 12_000, [3600, 7200, 10_800], 14_400],
    [
      { catch_up: "all", cron_expr: "0 * * * *", next_run_at: 3600, catch_up_window_seconds: 5000 },
      12_000,
      [7200, 10_800],
      14_400
    ]
  ])("%j at %d is executed for %j, and then at %d", (fields, at, times, next) => {
    const result = fired(fields, at)
    assert.deepStrictEqual([result.times, result.next], [times, next])
  })

  it("more times than one statement has are executed in the next one", () => {
    const { next, times } = fired({ catch_up: "all" }, 6000 + 200 * 60)
    assert.lengthOf(times, Firing.maxSlots)
    assert.strictEqual(next, 6000 + Firing.maxSlots * 60)
  })

  it("the jitter of a time is the same on every node, and within its bound", () => {
    const begins = (slot: number) =>
      Firing.make(due({ jitter_seconds: 30, next_run_at: slot }), slot, () => "id").firing.slots[0]?.run_at ?? 0
    for (let slot = 6000; slot < 12_000; slot += 60) {
      assert.strictEqual(begins(slot), begins(slot))
      assert.isTrue(begins(slot) >= slot && begins(slot) <= slot + 30)
    }
  })
})
