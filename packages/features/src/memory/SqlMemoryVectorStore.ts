// `MemoryVectorStore` in PostgreSQL, without an extension. A search compares the signs of all vectors of a user, and
// then the whole vectors that have the most signs in common with the text.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import * as Vector from "@svc-runtime/domain/Vector"
import { ShortStatements } from "@svc-runtime/postgres/ShortStatements"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { byteStrings, integers, text, texts } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Predicate, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { comparedAtOnce, type MemoryBudget } from "./MemoryBudget.ts"
import { matchesIn, memoryColumns } from "./memoryFilter.ts"
import type { MemoryFilter } from "./MemoryStore.ts"
import { type Found, type MadeVector, MemoryVectorStore, type TextVector } from "./MemoryVectorStore.ts"

const MissingRow = Schema.Struct({ memory_id: Memory.Id, memory: Schema.String, version: Schema.Int })

const readable = ReadableRows.make(Memory.Memory, "memory_id")
const readableMissing = ReadableRows.make(MissingRow, "memory_id")

interface Row {
  readonly memory_id: string
  readonly vector: unknown
}

const similarityIn = ({ vector }: Row, wanted: TextVector | undefined): number | undefined => {
  if (wanted === undefined || !Predicate.isUint8Array(vector)) return undefined
  const numbers = Vector.fromBytes(vector, wanted.vector.length)
  return Option.isSome(numbers) ? Vector.cosine(numbers.value, wanted.vector) : undefined
}

/** A damaged memory is left out, and a damaged vector counts as none. */
const found = Effect.fnUntraced(function*(rows: ReadonlyArray<Row>, wanted: TextVector | undefined) {
  const similarities = new Map<string, number>()
  for (const row of rows) {
    const similarity = similarityIn(row, wanted)
    if (similarity !== undefined) similarities.set(row.memory_id, similarity)
  }
  // a near memory can be one of the newest as well
  const unique = new Map(rows.map((row) => [row.memory_id, row]))
  const memories = yield* readable([...unique.values()])
  return memories.map((memory): Found => ({ memory, similarity: similarities.get(memory.memory_id) }))
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.reads ?? sql
  const columns = sql.literal(memoryColumns)
  const matches = matchesIn(sql)

  /** Of one user. Signs are compared only where they are as many, because a damaged row would fail the statement. */
  const near = (
    client: SqlClient.SqlClient,
    { model, vector }: TextVector,
    user_id: Ids.UserId,
    { condition, count }: { readonly condition: Statement.Fragment; readonly count: number }
  ) => {
    const signs = client`${Vector.signBits(vector)}::varbit`
    return client<Row>`
      select ${client.literal(memoryColumns)}, null::float8 as bytes, v.vector
      from svc_memory_vectors v join svc_memories m on m.memory_id = v.memory_id
      where v.user_id = ${text(user_id)} and v.model = ${text(model)} and v.dimensions = ${vector.length}
        and v.vector is not null and ${condition}
      order by bit_count(case when length(v.signs) = ${vector.length} then v.signs # ${signs} end) limit ${count}`
  }

  const nearest = (user_id: Ids.UserId, filter: MemoryFilter, wanted: TextVector) =>
    near(sql, wanted, user_id, { condition: matches(filter), count: comparedAtOnce.search })

  const forRun = (user_id: Ids.UserId, budget: MemoryBudget, wanted: TextVector | undefined) => {
    const { agent_id, maxBytes, maxCount, team_id } = budget
    const isWanted = short.and([
      short`m.user_id = ${text(user_id)}`,
      short`not exists (select from svc_memory_settings s where s.user_id = ${text(user_id)} and not s.is_enabled)`,
      ...(agent_id === undefined ? [] : [short`m.agent_id = ${text(agent_id)}`]),
      ...(team_id === undefined ? [] : [short`m.team_id = ${text(team_id)}`])
    ])
    const nearby = wanted === undefined
      ? short``
      : short`union all (${near(short, wanted, user_id, { condition: isWanted, count: comparedAtOnce.context })})`
    return short<Row>`
      with found as materialized (
        select ${columns} from svc_memories m where ${isWanted}
        order by m.updated_at desc, m.seq desc limit ${maxCount}
      ), placed as (
        select found.*, sum(octet_length(memory)) over (rows unbounded preceding)::float8 as bytes from found
      )
      select placed.*, null::bytea as vector from placed where bytes <= ${maxBytes}
      ${nearby}`
  }

  /** The primary key of the row is locked in no order: a row that another statement holds is left for the next time. */
  const put = (model: string, made: ReadonlyArray<MadeVector>) => {
    const numbers = made.map(({ vector }) => vector)
    return sql<{ readonly stored: number }>`
      with made as (
        select * from unnest(
          ${texts(made.map(({ memory_id }) => text(memory_id)))}::text[],
          ${integers(made.map(({ version }) => version))}::int[],
          ${texts(numbers.map((vector) => vector === undefined ? null : Vector.signBits(vector)))}::text[],
          ${byteStrings(numbers.map((vector) => vector === undefined ? null : Vector.toBytes(vector)))}::bytea[]
        ) as made (memory_id, version, signs, vector)
      ), locked as (
        select v.memory_id from svc_memory_vectors v join made on made.memory_id = v.memory_id
        where v.version = made.version for update of v skip locked
      ), stored as (
        update svc_memory_vectors v set model = ${text(model)}, signs = made.signs::varbit, vector = made.vector,
          dimensions = coalesce(length(made.signs), 0)
        from locked join made on made.memory_id = locked.memory_id where v.memory_id = locked.memory_id returning 1
      )
      select count(*)::int as stored from stored`
  }

  /** Of no model first, which the index has first, then of others. */
  const missing = (model: string, maxCount: number, maxBytes: number) => {
    const rows = (condition: Statement.Fragment) =>
      sql`
      (select v.memory_id, v.version from svc_memory_vectors v where ${condition}
        order by v.model, v.memory_id limit ${maxCount})`
    return sql`
      with open as materialized (
        ${rows(sql`v.model < ${text(model)}`)} union all ${rows(sql`v.model > ${text(model)}`)} limit ${maxCount}
      ), placed as (
        select m.memory_id, m.memory, open.version, row_number() over () as place,
          sum(octet_length(m.memory)) over (rows unbounded preceding) as bytes
        from open join svc_memories m on m.memory_id = open.memory_id
      )
      select memory_id, memory, version from placed where bytes <= ${maxBytes} or place = 1`
  }

  return MemoryVectorStore.of({
    missing: Effect.fn("SqlMemoryVectorStore.missing")((model, { maxBytes, maxCount }) =>
      readOrUnavailable(Effect.flatMap(missing(model, maxCount, maxBytes), readableMissing))
    ),
    put: Effect.fn("SqlMemoryVectorStore.put")((model, vectors) =>
      orUnavailable(Effect.map(put(model, vectors), ([row]) => row?.stored ?? 0))
    ),
    nearest: Effect.fn("SqlMemoryVectorStore.nearest")(function*(filter, wanted) {
      if (filter.owner._tag !== "User") return []
      const all = yield* found(yield* nearest(filter.owner.user_id, filter, wanted), wanted)
      return all.filter(({ similarity }) => similarity !== undefined)
        .sort((left, right) => (right.similarity ?? 0) - (left.similarity ?? 0))
        .slice(0, comparedAtOnce.search)
    }, readOrUnavailable),
    forRun: Effect.fn("SqlMemoryVectorStore.forRun")((user_id, budget, wanted) =>
      readOrUnavailable(Effect.flatMap(forRun(user_id, budget, wanted), (rows) => found(rows, wanted)))
    ),
    countOf: Effect.fn("SqlMemoryVectorStore.countOf")((user_id) =>
      readOrUnavailable(
        Effect.map(
          sql<{ readonly vectors: number }>`
            select count(*)::int as vectors from svc_memory_vectors
            where user_id = ${text(user_id)} and vector is not null`,
          ([row]) => row?.vectors ?? 0
        )
      )
    )
  })
})

export const layer: Layer.Layer<MemoryVectorStore, never, ShortStatements | SqlClient.SqlClient> = Layer.effect(
  MemoryVectorStore,
  make
)
