// A directory for one test, removed with its scope.
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgliteLayer from "./PgliteLayer.ts"

export const make = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A data directory whose database has all migrations, for a service that would create it in a second. */
export const withDatabase = Effect.gen(function*() {
  const dataDir = join(yield* make, "data")
  yield* Effect.orDie(PgliteLayer.install(dataDir))
  return dataDir
})
