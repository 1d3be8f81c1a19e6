import { assert, describe, it } from "@effect/vitest"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { Effect, Redacted } from "effect"
import * as Kills from "./Kills.ts"
import * as Subjects from "./Subjects.ts"

/** Where something is under way that must be done once, and where the run goes on with what a person has said of it. */
const asked = [
  ["pay.before.1", "resume.during.1"],
  ["pay.before.1", "pay.during.1"],
  ["pay.before.2", "finish.during.1"],
  ["pay.before.3", "pay.during.1"],
  ["pay.end.4", "record.during.1"],
  ["pay.before.6", "pay.during.1"]
] as const

describe("a service on PostgreSQL, killed wherever a workflow's run writes or does something", () => {
  const world = Effect.flatMap(
    PostgresLayer.url,
    (url) => Kills.world(Subjects.workflow, { DATABASE_URL: Redacted.value(url), NODE_TIMEOUT: "1 minute" })
  )

  it.live("loses no run, leaves none behind, and does nothing twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const here = yield* world
      const points = Kills.few(yield* Kills.points(here))
      const { at } = yield* Kills.make(here)
      assert.isAtLeast(yield* Kills.throughAll("workflow", points, at), 88)
    })))

  it.live("and killed once more after a person was asked", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked: kill } = yield* Kills.make(yield* world)
      assert.strictEqual(yield* Kills.throughAll("workflow, asked", asked, kill), 2 * asked.length)
    })))
})
