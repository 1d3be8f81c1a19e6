// How many statements something is.
import { Effect, Ref } from "effect"
import { Statement } from "effect/sql"

export const statementsOf = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const count = yield* Ref.make(0)
  const counting: Statement.Transformer = (statement) => Effect.as(Ref.update(count, (n) => n + 1), statement)
  yield* Effect.provideService(effect, Statement.CurrentTransformer, counting)
  return yield* Ref.get(count)
})
