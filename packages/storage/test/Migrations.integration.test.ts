// Several processes that start on one new database at the same moment.
import { assert, it } from "@effect/vitest"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { Effect } from "effect"
import { migrations } from "../src/DatabaseContents.ts"
import * as Migrations from "../src/Migrations.ts"

it.effect(
  "migrations run once when many processes start at once, and all of them wait until they have",
  () =>
    Effect.gen(function*() {
      const taken = yield* Effect.forEach(Array.from({ length: 8 }), () => Migrations.run, { concurrency: "unbounded" })
      const all = yield* migrations
      assert.deepStrictEqual(taken.map((steps) => steps.length).toSorted((a, b) => b - a), [
        all.length,
        0,
        0,
        0,
        0,
        0,
        0,
        0
      ])
    }).pipe(Effect.provide(PostgresLayer.layer))
)
