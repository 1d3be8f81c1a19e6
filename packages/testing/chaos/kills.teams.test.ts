import { assert, describe, it } from "@effect/vitest"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { Effect, Redacted } from "effect"
import * as Kills from "./Kills.ts"
import * as Subjects from "./Subjects.ts"

describe("a service on PostgreSQL, killed at every point of a team's run", () => {
  it.live("loses no run, leaves none behind, and does nothing twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const world = yield* Kills.world(Subjects.team, { DATABASE_URL: Redacted.value(url), NODE_TIMEOUT: "1 minute" })
      const points = Kills.few(yield* Kills.points(world))
      const { at } = yield* Kills.make(world)
      const kills = yield* Kills.throughAll("team", points, at)
      assert.isAtLeast(kills, 95)
    })))
})
