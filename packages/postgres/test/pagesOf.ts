// How many pages of the database a statement reads.
import { Effect, Ref } from "effect"
import { SqlClient, Statement } from "effect/sql"

interface Explained {
  readonly "QUERY PLAN": readonly [{ readonly Plan: Readonly<Record<string, number>> }]
}

const undone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    effect.pipe(
      Effect.andThen(Effect.fail("undo" as const)),
      sql.withTransaction,
      Effect.catchIf((error) => error === "undo", () => Effect.void)
    ))

/** The pages that a statement touches. It is undone. */
export const pagesOf = Effect.fnUntraced(function*(statement: string, parameters: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const explained = yield* Ref.make<ReadonlyArray<Explained>>([])
  yield* sql.unsafe<Explained>(`explain (analyze, buffers, format json) ${statement}`, parameters).pipe(
    Effect.flatMap((rows) => Ref.set(explained, rows)),
    undone
  )
  const { Plan } = (yield* Ref.get(explained))[0]!["QUERY PLAN"][0]
  return Plan["Shared Hit Blocks"]! + Plan["Shared Read Blocks"]!
})

/** The pages that the statements of a call touch. They are undone. */
export const pagesOfCall = Effect.fnUntraced(function*<A, E, R>(call: Effect.Effect<A, E, R>) {
  const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const keep: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      statements.push(statement.compile())
      return statement
    })
  yield* undone(Effect.provideService(call, Statement.CurrentTransformer, keep))
  let pages = 0
  for (const [text, parameters] of statements) pages += yield* pagesOf(text, parameters)
  return pages
})
