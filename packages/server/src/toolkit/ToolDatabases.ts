// The databases that tools query. Connections close when no call has used them for some time, and at shutdown.
import type { Options, QueryFailed, ReadOnlyQueries } from "@svc-runtime/postgres/ReadOnlyQueries"
import { Context, Effect, Layer, RcMap, type Scope } from "effect"

export interface ToolDatabases {
  readonly get: (options: Options) => Effect.Effect<ReadOnlyQueries, QueryFailed, Scope.Scope>
}

/** Undefined where runs have no service around them. */
export const ToolDatabases = Context.Reference<ToolDatabases | undefined>("@svc-runtime/server/toolkit/ToolDatabases", {
  defaultValue: () => undefined
})

// loaded with the first query
const queries = Effect.promise(() => import("@svc-runtime/postgres/ReadOnlyQueries"))

export const layer = Layer.effect(
  ToolDatabases,
  Effect.map(
    RcMap.make({
      lookup: (options: Options) => Effect.flatMap(queries, ({ make }) => make(options)),
      idleTimeToLive: "1 minute"
    }),
    (databases) => ({ get: (options: Options) => RcMap.get(databases, options) })
  )
)
