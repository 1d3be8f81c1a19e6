// The extensions of the embedded database. The package of pgvector may be missing, and a bundle of a service may lack
// its file: the database opens without.
import type { Extensions } from "@electric-sql/pglite"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { Pgvector } from "../Pgvector.ts"

const load = Effect.gen(function*() {
  const { vector } = yield* Effect.tryPromise(() => import("@electric-sql/pglite-pgvector"))
  const { bundlePath } = yield* Effect.tryPromise(() => vector.setup({} as never, {}))
  return bundlePath !== undefined && existsSync(bundlePath) ? { vector } : {}
})

export const extensions: Effect.Effect<Extensions> = Effect.flatMap(
  Pgvector,
  ({ isUsed }) => isUsed ? Effect.catch(load, () => Effect.succeed({})) : Effect.succeed({})
)
