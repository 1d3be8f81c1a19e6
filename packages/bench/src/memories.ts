// The statements on memories with 1,000,000 memories of 10,000 users on PostgreSQL: what a run reads, pages of lists,
// and changes.
import * as Ids from "@svc/domain/Ids"
import * as Memory from "@svc/domain/Memory"
import * as Owner from "@svc/domain/Owner"
import { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import { SqlStores } from "@svc/storage"
import * as PostgresDatabase from "@svc/storage/Postgres"
import * as EmbeddedPostgres from "@svc/testing/EmbeddedPostgres"
import { Effect, Layer, Redacted } from "effect"
import postgres from "postgres"

const users = 10_000
const memoriesOfUser = 100
const repetitions = 500
const warmUp = 100

const say = (line: string) => process.stdout.write(`${line}\n`)

const seed = async (url: string) => {
  const sql = postgres(url, { max: 1 })
  await sql`
    insert into svc_memories (memory_id, memory, topics, user_id, agent_id, created_at, updated_at)
    select 'm' || u || '-' || m, 'The user likes thing ' || (u * m) % 1000 || repeat(' and says so', 10),
      jsonb_build_array('topic' || m % 20), 'user' || u, 'agent' || m % 3, 1700000000 + m * 10, 1700000000 + m * 10 + u
    from generate_series(1, ${users}::int) u, generate_series(1, ${memoriesOfUser}::int) m`
  await sql`vacuum analyze svc_memories`
  await sql`vacuum analyze svc_memory_users`
  await sql.end()
}

const userOf = (index: number) => Ids.UserId.make(`user${1 + (index * 7919) % users}`)
const page = { page: 1, limit: 20 }
const newest = { by: "updated_at", order: "desc" } as const

const measure = Effect.fnUntraced(function*<E>(name: string, statement: (index: number) => Effect.Effect<unknown, E>) {
  const times: Array<number> = []
  for (let index = 0; index < repetitions; index++) {
    const start = performance.now()
    yield* statement(index)
    times.push(performance.now() - start)
  }
  const sorted = times.slice(warmUp).sort((left, right) => left - right)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(2).padStart(8)
  say(`${name.padEnd(48)} median ${at(0.5)} ms, 95 % below ${at(0.95)} ms`)
})

const measured = Effect.gen(function*() {
  const memories = yield* MemoryStore
  const ofUser = (index: number) => ({ owner: Owner.user(userOf(index)) })
  const list = (filter: object) => (index: number) => memories.list({ ...ofUser(index), ...filter }, page, newest)
  const all = (filter: object) => () => memories.list({ owner: Owner.anyone, ...filter }, page, newest)
  const budget = { maximumBytes: 16_384, maximumCount: 100 }
  yield* measure("what a run reads", (index) => memories.relevant(userOf(index), budget))
  yield* measure("page of a user", list({}))
  yield* measure("page of a user with a topic", list({ topics: ["topic3"] }))
  yield* measure("page of a user with a search", list({ search: "THING 12" }))
  yield* measure("page of all users", all({}))
  yield* measure("topics of a user", (index) => memories.topics(Owner.user(userOf(index))))
  yield* measure("page of statistics of all users", () => memories.statistics(Owner.anyone, page))
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
  const start = performance.now()
  yield* Effect.promise(() => seed(Redacted.value(server.url)))
  say(`${users * memoriesOfUser} memories of ${users} users, stored in ${Math.round(performance.now() - start)} ms`)
  yield* Effect.provideContext(measured, context)
})

await Effect.runPromise(Effect.scoped(program))
