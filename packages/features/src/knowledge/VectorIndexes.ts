// The indexes of vectors that searches use: HNSW of pgvector on the signs. A search that fails in an index is made
// without it.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { text } from "@svc-runtime/postgres/sql/rows"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type * as Knowledge from "./Knowledge.ts"

export interface VectorIndex {
  readonly index_no: number
  readonly dimensions: number
  /** The schema of the extension, quoted. */
  readonly schema: string
}

export const tableOf = (sql: SqlClient.SqlClient, index_no: number): Statement.Fragment =>
  sql.literal(`svc_vectors_${index_no}`)

/** Plans of the transaction use the index, and the index is read until it has as many as wanted, up to a limit. */
export const configure = (sql: SqlClient.SqlClient, count: number) =>
  sql`
    select set_config(s.name, s.value, true) from (values
      ('hnsw.ef_search', ${String(Math.min(maxAtOnce, Math.ceil(count * 1.25)))}),
      ('hnsw.iterative_scan', 'relaxed_order'), ('hnsw.max_scan_tuples', ${String(count * scannedPerResult)}),
      ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'), ('enable_sort', 'off'), ('enable_hashjoin', 'off'),
      ('enable_mergejoin', 'off')
    ) as s (name, value)`

const Row = Schema.Struct({
  index_no: Schema.Int,
  instance: Schema.String,
  dimensions: Schema.Int,
  model: Schema.String,
  schema: Schema.String
})

/** The largest `hnsw.ef_search`. */
const maxAtOnce = 1000

/** Chunks that are read for each one that is found. With fewer matches, a search without the index is faster. */
const scannedPerResult = 20

/** How long the list of indexes is kept, and an index is not used after a failure. */
const keptMillis = 15_000

export interface VectorIndexes {
  /** An index was created or dropped. */
  readonly changed: Effect.Effect<void>
  /** That of the vectors of an instance. */
  readonly find: (instance: string, embedding: Knowledge.Embedding) => Effect.Effect<VectorIndex | undefined>
  readonly failed: (index: VectorIndex, error: Schema.SchemaError | SqlError.SqlError) => Effect.Effect<void>
}

export const none: VectorIndexes = {
  changed: Effect.void,
  find: () => Effect.succeed(undefined),
  failed: () => Effect.void
}

export const make = (sql: SqlClient.SqlClient): VectorIndexes => {
  const [all, changed] = Effect.runSync(Effect.cachedInvalidateWithTTL(
    sql`
      select i.index_no, i.instance, i.model, i.dimensions, quote_ident(n.nspname) as schema
      from svc_vector_indexes i cross join pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'vector' and exists (select from pg_available_extensions a where a.name = e.extname)`.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(Row))),
      Effect.catch((error) => Effect.as(Effect.logDebug("The indexes of vectors are unknown", error), []))
    ),
    keptMillis
  ))
  const failures = new Map<number, number>()

  return {
    changed,
    find: Effect.fnUntraced(function*(instance: string, { dimensions, model }: Knowledge.Embedding) {
      const found = (yield* all).find((index) =>
        index.instance === text(instance) && index.model === text(model) && index.dimensions === dimensions
      )
      if (found === undefined) return undefined
      const failedAt = failures.get(found.index_no)
      const isUsable = failedAt === undefined || (yield* Monotonic.millis) - failedAt > keptMillis
      return isUsable ? found : undefined
    }),
    failed: Effect.fnUntraced(function*({ index_no }: VectorIndex, error: Schema.SchemaError | SqlError.SqlError) {
      failures.set(index_no, yield* Monotonic.millis)
      yield* Effect.logWarning(`Knowledge is searched without the index svc_vectors_${index_no}, which failed`, error)
    })
  }
}
