// Statements that may take longer than the server's time limit, such as those of migrations. Their connections do not
// count as silent. TCP keep-alive still finds a host that is gone.
import { Context, type Effect, Layer } from "effect"

export class LongStatements extends Context.Service<LongStatements, {
  readonly allowed: <A, E, R>(statements: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("@svc-runtime/postgres/sql/LongStatements") {}

/** No connection is watched, so each statement may take as long as it needs. */
export const layerNone: Layer.Layer<LongStatements> = Layer.succeed(LongStatements, {
  allowed: (statements) => statements
})
