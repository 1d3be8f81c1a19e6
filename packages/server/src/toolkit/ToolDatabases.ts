// The databases that tools query. Connections close when no call has used them for some time, and at shutdown.
import type { Options, QueryFailed, ReadOnlyQueries } from "@svc-runtime/postgres/ReadOnlyQueries"
import { Context, Effect, Layer, RcMap, type Scope } from "effect"

export class ToolDatabases extends Context.Service<ToolDatabases, {
  readonly get: (options: Options) => Effect.Effect<ReadOnlyQueries, QueryFailed, Scope.Scope>
}>()("@svc-runtime/server/toolkit/ToolDatabases") {}

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
