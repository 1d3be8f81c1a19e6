// The tests of something that runs long: killed at few of its points, and once more after a person was asked.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Kills from "./Kills.ts"
import type { Subject } from "./Subjects.ts"

export interface Options {
  readonly subject: Subject
  /** At least this many of its points have to be reached. */
  readonly least: number
  /** A point during an effect that must be made once, and a point where the run resumes with a decision about it. */
  readonly decided: ReadonlyArray<readonly [first: string, then: string]>
}

export const killedWherever = (name: string, { decided, least, subject }: Options) =>
  describe(`a service on PostgreSQL, killed wherever a ${name}'s run writes or does something`, () => {
    const world = Kills.onPostgres(subject)
    Tier.oneIn(2)

    it.live("a killed service loses no run, leaves none behind, and does nothing twice", () =>
      Effect.scoped(Effect.gen(function*() {
        const here = yield* world
        const points = Tier.some(Kills.few(yield* Kills.points(here)), 2)
        const { at } = yield* Kills.make(here)
        assert.isAtLeast(yield* Kills.throughAll(name, points, at), Tier.size(1, least))
      })))

    it.live("a service that is killed again after a person was asked loses no run", () =>
      Effect.scoped(Effect.gen(function*() {
        const { decided: kill } = yield* Kills.make(yield* world)
        const chosen = Tier.some(decided, 1)
        assert.strictEqual(yield* Kills.throughAll(`${name}, decided`, chosen, kill), 2 * chosen.length)
      })))
  })
