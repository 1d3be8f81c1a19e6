// One PostgreSQL for all test files of a vitest project: `test.globalSetup: ["@svc/testing/postgres-global-setup"]`. It
// starts beside the tests, so that a run which needs none does not wait for it; what connects to it waits until it is
// up.
import { Effect, Exit, Fiber, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"

const begin = Effect.fnUntraced(function*(project: TestProject) {
  const scope = yield* Scope.make()
  const server = yield* Scope.provide(EmbeddedPostgres.make(), scope)
  project.provide("svcPostgresUrl", Redacted.value(server.url))
  // it outlives this call, until what is returned here is called
  const starting = yield* Effect.forkDetach(Effect.tapError(server.start, (error) => Effect.logError(error.message)))
  const end = Effect.andThen(Fiber.await(starting), Scope.close(scope, Exit.void))
  return () => Effect.runPromise(end)
})

export default function setup(project: TestProject): Promise<() => Promise<void>> {
  const isElsewhere = process.env.SVC_TEST_POSTGRES_URL !== undefined
  return isElsewhere ? Promise.resolve(() => Promise.resolve()) : Effect.runPromise(begin(project))
}
