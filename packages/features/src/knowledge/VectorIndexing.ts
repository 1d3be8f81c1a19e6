// Keeps the indexes of vectors: one for each instance with enough chunks, filled in pieces. A piece is one transaction,
// so that a process that dies leaves nothing behind.
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { times } from "@svc-runtime/postgres/sql/rows"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { isPresent } from "./knowledgeRows.ts"
import { tableOf, type VectorIndexes } from "./VectorIndexes.ts"

// The extension pgvector. It is used if the database has it, or if the service may create it.

/** The first version that continues a search whose results do not match the filter. */
const oldest = [0, 8] as const

const isOldEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

/** The schema of the extension, if it is created and its library is there. */
const schemaOf = (sql: SqlClient.SqlClient): Effect.Effect<string | undefined, SqlError.SqlError> =>
  Effect.map(
    sql<{ readonly schema: string; readonly version: string }>`
      select quote_ident(n.nspname) as schema, e.extversion as version
      from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'vector' and exists (select from pg_available_extensions a where a.name = e.extname)`,
    ([row]) => row !== undefined && isOldEnough(row.version) ? row.schema : undefined
  )

const offeredVersion = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly version: string }>`
      select coalesce(installed_version, default_version) as version from pg_available_extensions
      where name = 'vector'`,
    ([row]) => row?.version
  )

/** Creates the extension if the server has it. Undefined: there is none that can be used, and the log says why once. */
const vectorExtension = (sql: SqlClient.SqlClient): Effect.Effect<string | undefined, SqlError.SqlError> => {
  let isLogged = false
  const without = (reason: string) =>
    Effect.suspend(() => {
      if (isLogged) return Effect.succeed(undefined)
      isLogged = true
      return Effect.as(Effect.logInfo(`Knowledge is searched without pgvector: ${reason}`), undefined)
    })

  return Effect.gen(function*() {
    const schema = yield* schemaOf(sql)
    if (schema !== undefined) return schema
    const version = yield* offeredVersion(sql)
    if (version === undefined) return yield* without("the database server does not have it")
    if (!isOldEnough(version)) {
      return yield* without(`version ${oldest.join(".")} is needed, and the database has ${version}`)
    }
    const refused = yield* sql`create extension if not exists vector`.pipe(
      Effect.as(undefined),
      Effect.catchIf(
        SqlError.isSqlError,
        ({ reason: { cause } }) => Effect.succeed(cause instanceof Error ? cause.message : String(cause))
      )
    )
    return refused === undefined
      ? yield* schemaOf(sql)
      : yield* without(`\`create extension vector\` failed, which an administrator can execute: ${refused}`)
  })
}

/** Of one statement. The embedded database blocks the process while it indexes them. */
const chunksAtOnce = 20
const contentsAtOnce = 20

/** Dead chunks that one statement removes from an index. */
const deadAtOnce = 1000

const Index = Schema.Struct({
  index_no: Schema.Int,
  instance: Schema.String,
  dimensions: Schema.Int,
  isCurrent: Schema.Boolean
})
type Index = typeof Index.Type

const Wanted = Schema.Struct({ instance: Schema.String, model: Schema.String, dimensions: Schema.Int })
type Wanted = typeof Wanted.Type

/** A content with chunks that are not in the index. */
const Unindexed = Schema.Struct({ seq: Schema.Int, published: Schema.Int })
type Unindexed = typeof Unindexed.Type

const Dead = Schema.Struct({
  chunk_no: Schema.Int,
  content_seq: Schema.Int,
  generation: Schema.Int,
  place: Schema.Int
})
type Dead = typeof Dead.Type

const allOf = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownEffect(Schema.Array(schema))
const decodeIndexes = allOf(Index)
const decodeWanted = allOf(Wanted)
const decodeUnindexed = allOf(Unindexed)
const decodeDead = allOf(Dead)

export const make = (
  sql: SqlClient.SqlClient,
  { changed }: VectorIndexes,
  minChunks: (dimensions: number) => number
): Effect.Effect<number, Schema.SchemaError | SqlError.SqlError> => {
  const extension = vectorExtension(sql)

  // A standalone backend is the embedded database: it has no autovacuum, and its own leaves these indexes as they are.
  const isWorn = sql.literal(`i.removed > i.chunks and (
    select a.backend_type = 'standalone backend' from pg_stat_activity a where a.pid = pg_backend_pid()
  )`)

  // an extension that is dropped takes its indexes with it
  const indexes = sql`
    select i.index_no, i.instance, i.dimensions, m.instance is not null and not (${isWorn}) and exists (
      select from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am a on a.oid = c.relam
      where x.indrelid = to_regclass('svc_vectors_' || i.index_no) and a.amname = 'hnsw' and x.indisvalid
    ) as "isCurrent"
    from svc_vector_indexes i
    left join svc_knowledge_models m on m.instance = i.instance and m.model = i.model and m.dimensions = i.dimensions
    order by i.index_no`.pipe(Effect.flatMap(decodeIndexes))

  const withoutIndex = sql`
    select m.instance, m.model, m.dimensions from svc_knowledge_models m
    where m.model is not null and not exists (select from svc_vector_indexes i where i.instance = m.instance)
    order by m.instance`.pipe(Effect.flatMap(decodeWanted))

  const hasEnough = ({ dimensions, instance }: Wanted) => {
    const least = minChunks(dimensions)
    return Effect.map(
      sql<{ readonly count: number }>`
        select count(*)::int as count from (
          select from svc_contents s join svc_chunks c on c.content_seq = s.seq and c.generation = s.published
          where s.instance = ${instance} and ${sql.literal(isPresent)} limit ${least}
        ) found`,
      ([row]) => (row?.count ?? 0) >= least
    )
  }

  const drop = ({ index_no }: Index) =>
    inTransaction(sql)(Effect.andThen(
      sql`delete from svc_vector_indexes where index_no = ${index_no}`,
      sql`drop table if exists ${tableOf(sql, index_no)}`
    ))

  /** Marks contents of an index that does not exist anymore as not indexed. */
  const forget = (instance: string) =>
    sql`
      update svc_contents s set indexed = null where s.seq in (
        select seq from svc_contents where instance = ${instance} and indexed is not null limit ${deadAtOnce}
      ) returning 1`

  const create = ({ dimensions, instance, model }: Wanted, schema: string) =>
    inTransaction(sql)(Effect.gen(function*() {
      const [row] = yield* sql<{ readonly index_no: number }>`
        insert into svc_vector_indexes (instance, model, dimensions) values (${instance}, ${model}, ${dimensions})
        on conflict (instance) do nothing returning index_no`
      if (row === undefined) return
      const table = tableOf(sql, row.index_no)
      yield* sql`
        create table ${table} (
          chunk_no bigint not null,
          content_seq bigint not null,
          generation bigint not null,
          place integer not null,
          signs bit(${sql.literal(String(dimensions))}) not null,
          primary key (content_seq, generation, place)
        )`
      yield* sql`create index on ${table} using hnsw (signs ${sql.literal(schema)}.bit_hamming_ops)`
    }))

  /** The lock keeps the generation, so its chunks are not removed meanwhile. */
  const lockUnindexed = ({ instance }: Index) =>
    sql`
      select s.seq::float8 as seq, s.published::float8 as published from svc_contents s
      where s.instance = ${instance} and s.published is not null and s.indexed is distinct from s.published
        and ${sql.literal(isPresent)}
      order by s.seq limit ${contentsAtOnce} for no key update of s skip locked`.pipe(Effect.flatMap(decodeUnindexed))

  /** A statement after the lock sees all chunks of the locked generations. They are added by the order of places. */
  const add = ({ dimensions, index_no }: Index, unindexed: ReadonlyArray<Unindexed>) => {
    const table = tableOf(sql, index_no)
    const lastIn = sql`(
      select max(v.place) from ${table} v where v.content_seq = n.seq and v.generation = n.published
    )`
    return Effect.map(
      sql<{ readonly chunks: number }>`
        with next as materialized (
          select * from unnest(
            ${times(unindexed.map(({ seq }) => seq))}::bigint[],
            ${times(unindexed.map(({ published }) => published))}::bigint[]
          ) as n (seq, published)
        ), missing as materialized (
          select c.chunk_no, n.seq, n.published, c.place, c.signs from next n cross join lateral (
            select c.chunk_no, c.place, c.signs from svc_chunks c
            where c.content_seq = n.seq and c.generation = n.published and length(c.signs) = ${dimensions}
              and c.place > coalesce(${lastIn}, -1)
            order by c.place limit ${chunksAtOnce}
          ) c limit ${chunksAtOnce}
        ), added as (
          insert into ${table} (chunk_no, content_seq, generation, place, signs)
          select chunk_no, seq, published, place, signs from missing
          on conflict do nothing returning 1
        ), counted as (
          update svc_vector_indexes i set chunks = i.chunks + (select count(*) from added)
          where i.index_no = ${index_no}
        ), done as (
          update svc_contents s set indexed = n.published from next n
          where s.seq = n.seq and not exists (
            select from svc_chunks c
            where c.content_seq = n.seq and c.generation = n.published and length(c.signs) = ${dimensions}
              and c.place > coalesce((select max(m.place) from missing m where m.seq = n.seq), ${lastIn}, -1)
          )
        )
        select count(*)::int as chunks from missing`,
      ([row]) => Math.max(row?.chunks ?? 0, unindexed.length)
    )
  }

  const fill = (index: Index) =>
    inTransaction(sql)(Effect.flatMap(
      lockUnindexed(index),
      (unindexed) => unindexed.length === 0 ? Effect.succeed(0) : add(index, unindexed)
    ))

  const removeDead = (all: ReadonlyArray<Index>) =>
    inTransaction(sql)(Effect.gen(function*() {
      const dead = yield* decodeDead(
        yield* sql`
        select chunk_no::float8 as chunk_no, content_seq::float8 as content_seq, generation::float8 as generation, place
        from svc_dead_vectors order by chunk_no limit ${deadAtOnce} for update skip locked`
      )
      if (dead.length === 0) return 0
      const columnOf = (column: keyof Dead) => times(dead.map((row) => row[column]))
      for (const { index_no } of all) {
        yield* sql`
          with removed as (
            delete from ${tableOf(sql, index_no)} v using unnest(
              ${columnOf("content_seq")}::bigint[], ${columnOf("generation")}::bigint[], ${columnOf("place")}::bigint[]
            ) as d (content_seq, generation, place)
            where v.content_seq = d.content_seq and v.generation = d.generation and v.place = d.place returning 1
          )
          update svc_vector_indexes i set chunks = i.chunks - r.count, removed = i.removed + r.count
          from (select count(*) from removed) r where i.index_no = ${index_no} and r.count > 0`
      }
      yield* sql`delete from svc_dead_vectors where chunk_no = any(${columnOf("chunk_no")}::bigint[])`
      return dead.length
    }))

  const begin = Effect.fnUntraced(function*(wanted: Wanted, schema: string) {
    const forgotten = yield* forget(wanted.instance)
    if (forgotten.length > 0) return forgotten.length
    yield* create(wanted, schema)
    yield* changed
    return 1
  })

  /** One piece of what there is to do. */
  return Effect.gen(function*() {
    const all = yield* indexes
    const wanted = yield* Effect.filter(yield* withoutIndex, hasEnough)
    if (all.length === 0 && wanted.length === 0) return 0
    const schema = yield* extension
    if (schema === undefined) return 0
    for (const index of all) {
      if (!index.isCurrent) return yield* Effect.as(Effect.andThen(drop(index), changed), 1)
      const count = yield* fill(index)
      if (count > 0) return count
    }
    const removed = yield* removeDead(all)
    const [first] = wanted
    return removed > 0 || first === undefined ? removed : yield* begin(first, schema)
  })
}
