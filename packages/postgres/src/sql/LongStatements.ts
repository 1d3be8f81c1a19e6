// Statements that may take longer than the server's time limit, such as those of migrations. Their connections do not
// count as silent. TCP keep-alive still finds a host that is gone.
import { Context, type Effect } from "effect"

export interface LongStatements {
  readonly allowed: <A, E, R>(statements: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Of a database whose connections are not watched. */
export const LongStatements = Context.Reference<LongStatements>("@svc-runtime/postgres/LongStatements", {
  defaultValue: () => ({ allowed: (statements) => statements })
})
