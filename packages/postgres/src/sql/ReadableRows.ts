// The rows of a list as values. A damaged row is logged and left out, so that it does not hide the others.
import { Effect, Option, Predicate, Schema } from "effect"
import { logRejected } from "./rejectedStatements.ts"

/** `idName` is what the log calls the `id` of a row. Ids of runs and sessions are logged in any case. */
export const make = <A>(schema: Schema.Codec<A, unknown>, idName?: string) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (rows: ReadonlyArray<object>): Effect.Effect<ReadonlyArray<A>> =>
    Effect.map(
      Effect.forEach(rows, (row) =>
        Effect.catch(Effect.asSome(decode(row)), (rejected) =>
          Effect.as(
            Effect.annotateLogs(
              logRejected(rejected, [row]),
              idName !== undefined && Predicate.hasProperty(row, "id") ? { [idName]: row.id } : {}
            ),
            Option.none()
          ))),
      (all) => all.flatMap(Option.toArray)
    )
}
