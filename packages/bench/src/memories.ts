// The statements on memories with 1,000,000 memories of 10,000 users on PostgreSQL: what a run reads, pages of lists,
// searches and changes. All memories have vectors of 256 numbers, and those of 100 users have vectors of 1,536. Then
// the statements on as many learnings. With the argument `learnings` only these.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Vector from "@svc-runtime/domain/Vector"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresDatabase from "@svc-runtime/postgres/Postgres"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Layer, Redacted } from "effect"
import postgres from "postgres"
import * as LearningTimes from "./LearningTimes.ts"
import { measure, say } from "./StatementTimes.ts"

const users = 10_000
const memoriesOfUser = 100

const [small, large] = [{ model: "bench:small", dimensions: 256 }, { model: "bench:large", dimensions: 1536 }]

/** Users with long vectors. */
const largeUsers = 100

const samples = 1000

/** The numbers of sample `seed` are the same in each run. */
const vectorOf = (dimensions: number, seed: number): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, index) => Math.sin((seed + 1) * 12.9898 + index * 78.233))

const seedVectors = async (sql: postgres.Sql) => {
  await sql`create temporary table samples (model text, number integer, dimensions integer, signs varbit, vector bytea)`
  for (const { dimensions, model } of [small, large]) {
    for (let number = 0; number < samples; number++) {
      const vector = vectorOf(dimensions, number)
      await sql`
        insert into samples values (
          ${model}, ${number}, ${dimensions}, ${Vector.signBits(vector)}::varbit, ${Buffer.from(Vector.toBytes(vector))}
        )`
    }
  }
  await sql`truncate svc_memory_vectors`
  await sql`
    insert into svc_memory_vectors (memory_id, user_id, model, dimensions, signs, vector)
    select 'm' || u || '-' || m, 'user' || u, s.model, s.dimensions, s.signs, s.vector
    from generate_series(1, ${users}::int) u, generate_series(1, ${memoriesOfUser}::int) m, samples s
    where s.number = (u * 31 + m) % ${samples}::int
      and s.model = case when u <= ${largeUsers}::int then ${large.model}::text else ${small.model}::text end`
}

const seed = async (sql: postgres.Sql) => {
  await sql`
    insert into svc_memories (memory_id, memory, topics, user_id, agent_id, created_at, updated_at)
    select 'm' || u || '-' || m, 'The user likes thing ' || (u * m) % 1000 || repeat(' and says so', 10),
      jsonb_build_array('topic' || m % 20), 'user' || u, 'agent' || m % 3, 1700000000 + m * 10, 1700000000 + m * 10 + u
    from generate_series(1, ${users}::int) u, generate_series(1, ${memoriesOfUser}::int) m`
  await seedVectors(sql)
  await sql`vacuum analyze svc_memories`
  await sql`vacuum analyze svc_memory_vectors`
  await sql`vacuum analyze svc_memory_users`
  return users * memoriesOfUser
}

const userOf = (index: number) => Ids.UserId.make(`user${1 + (index * 7919) % users}`)
const smallUserOf = (index: number) => Ids.UserId.make(`user${1 + largeUsers + (index * 7919) % (users - largeUsers)}`)
const largeUserOf = (index: number) => Ids.UserId.make(`user${1 + index % largeUsers}`)
const page = { page: 1, limit: 20 }
const newest = { by: "updated_at", order: "desc" } as const

const slow = 20

const measured = Effect.gen(function*() {
  const memories = yield* MemoryStore
  const ofUser = (index: number) => ({ owner: Owner.user(userOf(index)) })
  const list = (filter: object) => (index: number) => memories.list({ ...ofUser(index), ...filter }, page, newest)
  const all = (filter: object) => () => memories.list({ owner: Owner.anyone, ...filter }, page, newest)
  const budget = { maxBytes: 16_384, maxCount: 100 }
  const vectors = yield* MemoryVectorStore
  const context = { maxBytes: 256 * 1024, maxCount: 500 }
  const text = ({ dimensions, model }: typeof small, index: number) => ({ model, vector: vectorOf(dimensions, index) })
  yield* measure("what a run reads by words", (index) => vectors.forRun(userOf(index), context, undefined))
  yield* measure(
    "what a run reads by meaning, 256 numbers",
    (index) => vectors.forRun(smallUserOf(index), context, text(small, index))
  )
  yield* measure(
    "what a run reads by meaning, 1,536 numbers",
    (index) => vectors.forRun(largeUserOf(index), context, text(large, index))
  )
  yield* measure(
    "search by meaning, 256 numbers",
    (index) => vectors.nearest({ owner: Owner.user(smallUserOf(index)) }, text(small, index))
  )
  yield* measure(
    "search by meaning, 1,536 numbers",
    (index) => vectors.nearest({ owner: Owner.user(largeUserOf(index)) }, text(large, index))
  )
  yield* measure(
    "memories without a vector",
    () => vectors.missing(small.model, { maxBytes: 256 * 1024, maxCount: 100 })
  )
  yield* measure("what an extraction reads", (index) => memories.relevant(userOf(index), budget))
  yield* measure("page of a user", list({}))
  yield* measure("page of a user with a topic", list({ topics: ["topic3"] }))
  yield* measure("page of a user with a search", list({ search: "THING 12" }))
  yield* measure("page of all users", all({}))
  yield* measure(
    "page 1,000 of all users",
    () => memories.list({ owner: Owner.anyone }, { page: 1000, limit: 20 }, newest)
  )
  yield* measure(
    "page 25,000 of all users",
    () => memories.list({ owner: Owner.anyone }, { page: 25_000, limit: 20 }, newest),
    slow
  )
  yield* measure(
    "page 49,000 of all users",
    () => memories.list({ owner: Owner.anyone }, { page: 49_000, limit: 20 }, newest),
    slow
  )
  yield* measure("page of all users with a topic", all({ topics: ["topic3"] }), slow)
  yield* measure("search of all users, 1,000 matches", all({ search: "THING 123" }), slow)
  yield* measure("search of all users, everything matches", all({ search: "likes" }), slow)
  yield* measure("search of all users, no match", all({ search: "zebra" }), slow)
  yield* measure("search of all users, two letters", all({ search: "ze" }), slow)
  yield* measure("topics of all users", () => memories.topics(Owner.anyone), slow)
  yield* measure("topics of a user", (index) => memories.topics(Owner.user(userOf(index))))
  yield* measure("page of statistics of all users", () => memories.statistics(Owner.anyone, page))
  yield* measure(
    "page 400 of statistics of all users",
    () => memories.statistics(Owner.anyone, { page: 400, limit: 20 })
  )
  yield* measure("application of an extraction", (index) => {
    const id = (part: string) => Memory.Id.make(`new${index}${part}`)
    const source = {
      run_id: null,
      root_run_id: null,
      session_id: null,
      agent_id: null,
      team_id: null,
      key: `key${index}`
    }
    return memories.apply(
      userOf(index),
      [
        { _tag: "Create", memory_id: id("a"), memory: "new", topics: ["new"] },
        {
          _tag: "Update",
          memory_id: Memory.Id.make(`m${1 + (index * 7919) % users}-1`),
          memory: "changed",
          topics: []
        },
        { _tag: "Remove", memory_id: Memory.Id.make(`m${1 + (index * 7919) % users}-2`) }
      ],
      source,
      1_800_000_000
    )
  })
})

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  const stores = SqlStores.layer.pipe(Layer.provide(PostgresDatabase.layer({ url: server.url })))
  const context = yield* Layer.build(stores)
  const sql = postgres(Redacted.value(server.url), { max: 1 })
  const seeded = (name: string, fill: (sql: postgres.Sql) => Promise<number>) =>
    Effect.gen(function*() {
      const start = performance.now()
      const count = yield* Effect.promise(() => fill(sql))
      say(`${count} ${name}, stored in ${Math.round(performance.now() - start)} ms`)
    })
  if (!process.argv.includes("learnings")) {
    yield* seeded(`memories of ${users} users`, seed)
    yield* Effect.provideContext(measured, context)
  }
  yield* seeded("learnings", LearningTimes.seed)
  yield* Effect.provideContext(LearningTimes.measured, context)
  yield* Effect.promise(() => sql.end())
})

await Effect.runPromise(Effect.scoped(program))
