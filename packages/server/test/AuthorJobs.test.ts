import { assert, describe, it } from "@effect/vitest"
import { JobKind } from "@svc/server"
import * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect } from "effect"

describe("kinds of background jobs that an author registers", () => {
  it.live("a service executes a repeating kind that is made with the package server alone", () =>
    Effect.gen(function*() {
      const executed = yield* Deferred.make<string>()
      const cleaning = JobKind.repeating({
        name: "cleaning",
        every: "1 hour",
        handle: ({ job }) => Deferred.succeed(executed, job.kind)
      })
      yield* TestServer.make({ jobs: [cleaning] })
      assert.strictEqual(yield* Deferred.await(executed), "cleaning")
    }))
})
