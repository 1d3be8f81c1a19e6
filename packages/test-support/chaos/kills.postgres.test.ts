import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Kills from "./Kills.ts"
import type * as Points from "./Points.ts"
import * as Subjects from "./Subjects.ts"

/** Killed when a step is over, and once more at few of the points that the run comes by in its second attempt. */
const afterStep = [
  "append.before.1",
  "append.during.1",
  "reserve.during.1",
  "reserve.begun.1",
  "record.before.1",
  "record.during.1",
  "record.after.1",
  "model.before.1",
  "model.begun.1",
  "pay.before.1",
  "pay.during.1",
  "pay.end.1",
  "record.during.2",
  "model.end.2",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
].map((then) => ["model.begun.2", then] as const)

/** Killed during calls, and once more while repeatable calls are made again. */
const inCall = [
  ["reserve.during.1", "reserve.during.1"],
  ["reserve.during.1", "record.during.1"],
  ["reserve.begun.1", "reserve.end.1"]
] as const

const second = Tier.some([...afterStep, ...inCall], 1)

/** Between the decision of an approval and the run that it resumes. */
const approvedAt = Tier.some<Points.Place>([
  [1, "resolve.during.1"],
  [1, "resolve.after.1"],
  [2, "resume.after.1"],
  [2, "reserve.before.1"]
], 1)

/** A point during a call that must be made once, and a point where the run resumes with a decision about it. */
const decidedAt = Tier.some<readonly [string, string]>([
  ["pay.before.1", "resume.during.1"],
  ["pay.before.2", "pay.during.1"],
  ["pay.end.1", "record.during.1"]
], 1)

describe("a service on PostgreSQL, killed at every point of a run", () => {
  const world = Kills.onPostgres(Subjects.agent)

  it.live("a killed service loses no run, leaves none behind, and does nothing twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const here = yield* world
      const points = Tier.some(yield* Kills.points(here), 3)
      const { at } = yield* Kills.make(here)
      const kills = yield* Kills.throughAll("PostgreSQL", points, at)
      assert.isAtLeast(kills, Tier.size(1, 85))
    })))

  describe("a service that is killed again, or after a decision", () => {
    Tier.oneIn(3)

    it.live("a service that is killed again while it resumes the run loses no run", () =>
      Effect.scoped(Effect.gen(function*() {
        const here = yield* world
        const { twice } = yield* Kills.make(here)
        assert.strictEqual(yield* Kills.throughAll("PostgreSQL, twice", second, twice), 2 * second.length)
      })))

    it.live("a service that is killed while it resumes an approved run needs no second decision", () =>
      Effect.scoped(Effect.gen(function*() {
        const { approved } = yield* Kills.make(yield* Kills.onPostgres(Subjects.approvedAgent))
        const kills = yield* Kills.throughAll("PostgreSQL, approved", approvedAt, approved)
        assert.strictEqual(kills, approvedAt.length)
      })))

    it.live("a service that is killed again after a person was asked loses no run", () =>
      Effect.scoped(Effect.gen(function*() {
        const { decided: kill } = yield* Kills.make(yield* world)
        assert.strictEqual(yield* Kills.throughAll("PostgreSQL, decided", decidedAt, kill), 2 * decidedAt.length)
      })))
  })
})
