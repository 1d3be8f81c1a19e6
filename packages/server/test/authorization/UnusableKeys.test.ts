// A service whose keys cannot be read.
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { serve } from "../Wire.ts"

it.effect("A service whose keys cannot be read does not start its engine.", () =>
  Effect.gen(function*() {
    const called = new Set<PropertyKey>()
    const server = yield* serve({
      authorization: { enabled: true, jwksFile: "/dev/null" },
      database: (database) => ({
        ...database,
        runs: new Proxy(database.runs, {
          get: (runs, name) => {
            called.add(name)
            return Reflect.get(runs, name)
          }
        })
      })
    })
    assert.isTrue(Exit.isFailure(yield* Effect.exit(server.fetch("/health"))))
    assert.deepStrictEqual([...called], [])
  }))
