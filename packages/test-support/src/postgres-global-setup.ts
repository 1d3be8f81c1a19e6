// One PostgreSQL for all test files of a run of vitest:
// `test.globalSetup: ["@svc-runtime/test-support/postgres-global-setup"]`. It starts when the first test file connects
// to the port that is provided here; each connection is answered with its url.
import { Effect, Exit, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import * as LazyServer from "./internal/LazyServer.ts"
import * as Databases from "./internal/PostgresDatabases.ts"

const begin = Effect.fnUntraced(function*(project: TestProject) {
  const scope = yield* Scope.make()
  const server = EmbeddedPostgres.make().pipe(
    Effect.tap(({ start, url }) => Effect.andThen(start, Databases.createTemplate(url))),
    Effect.tapError(({ message }) => Effect.logError(message)),
    Scope.provide(scope)
  )
  const { close, port } = yield* LazyServer.answer(
    Effect.match(server, { onFailure: () => "", onSuccess: ({ url }) => Redacted.value(url) })
  )
  project.provide("svcPostgresPort", port)
  // this call gives how to end it
  return () => {
    close()
    return Effect.runPromise(Scope.close(scope, Exit.void))
  }
})

export default function setup(project: TestProject): Promise<() => Promise<void>> {
  const isElsewhere = process.env.SVC_TEST_POSTGRES_URL !== undefined
  return isElsewhere ? Promise.resolve(() => Promise.resolve()) : Effect.runPromise(begin(project))
}
