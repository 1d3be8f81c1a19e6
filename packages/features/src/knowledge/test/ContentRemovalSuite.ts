// What the removal of all contents does to the database: many of them are invisible at once, and are removed in pieces.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import type { SqlServices } from "@svc-runtime/postgres/ShortStatements"
import { job } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as SqlStores from "../../SqlStores.ts"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import * as Knowledge from "../Knowledge.ts"
import { contentsRemovedAtOnce } from "../KnowledgeLimits.ts"
import {
  at,
  byMeaning,
  byWords,
  chunk,
  everything,
  idsOf,
  instanceName,
  newContent,
  newestFirst,
  publish,
  put,
  search,
  vector
} from "./SampleKnowledge.ts"

const anyone = Owner.anyone

const folders = { knowledge_id: "a", source_id: "b" }

/** Contents of one instance and one user, more than one statement removes. */
const fill = Effect.fnUntraced(function*(instance: string, user_id: string | null = null) {
  const sql = yield* SqlClient.SqlClient
  const prefix = newId("many")
  yield* sql`
    insert into svc_contents (instance, content_id, user_id, status, generation, published, created_at, updated_at)
    select ${instance}, ${prefix} || number, ${user_id}, 'completed', nextval('svc_content_generations'), null, 1, 1
    from generate_series(1, ${2 * contentsRemovedAtOnce + 100}::int) as number`
})

const rowsOf = Effect.fnUntraced(function*(instance: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly contents: number; readonly removals: number }>`
    select (select count(*) from svc_contents where instance = ${instance})::int as contents,
      (select count(*) from svc_content_removals where instance = ${instance})::int as removals`
  return row
})

const pruneAll = Effect.gen(function*() {
  const contents = yield* ContentStore
  while ((yield* contents.prune) > 0);
  const chunks = yield* ChunkStore
  while ((yield* chunks.prune) > 0);
})

const listed = (instance: string, owner: Owner.Owner = anyone) =>
  ContentStore.use((contents) => contents.list({ instance, owner }, { ...everything, limit: 1 }, newestFirst))

export const suite = <E>(name: string, database: Layer.Layer<SqlServices, E>) =>
  describe(`the removal of all contents ${name}`, () => {
    const stores = SqlStores.layer.pipe(Layer.provideMerge(database))

    it.live("nothing of many removed contents is visible, and they are removed in pieces", () =>
      Effect.gen(function*() {
        const [contents, chunks] = [yield* ContentStore, yield* ChunkStore]
        const instance = instanceName()
        const metadata = { secret: true }
        yield* fill(instance)
        const found = yield* publish({ instance, metadata, name: "found" }, [chunk(1)])
        const reading = yield* contents.put(newContent({ instance }), { body: new Uint8Array(3) }, at)
        const folder = yield* contents.put(
          newContent({ instance }),
          { folder: folders },
          at
        )
        yield* contents.putFile(folder, newContent({ instance }), {}, at)
        const { generation } = yield* contents.removeAll({ instance, owner: anyone })
        assert.isAtLeast(generation, folder.generation)
        assert.deepStrictEqual(yield* rowsOf(instance), { contents: contentsRemovedAtOnce + 104, removals: 1 })
        assert.deepStrictEqual(yield* listed(instance), { contents: [], total: 0 })
        assert.deepStrictEqual(yield* search(instance, byWords("part")), [])
        assert.deepStrictEqual(yield* search(instance, byMeaning(1, 0, 0, 0)), [])
        assert.deepStrictEqual(yield* contents.metadataKeys({ instance, owner: anyone }), [])
        const key = { ...found, owner: anyone }
        assert.strictEqual((yield* Effect.flip(contents.get(key)))._tag, "ContentNotFound")
        assert.strictEqual((yield* Effect.flip(contents.patch(key, { name: "a" }, at)))._tag, "ContentNotFound")
        assert.strictEqual((yield* contents.remove(key)).count, 0)
        assert.strictEqual((yield* contents.body(reading))._tag, "None")
        assert.strictEqual((yield* contents.renew(reading))._tag, "None")
        assert.isFalse(yield* contents.report(reading, { done: 1, total: 2 }))
        assert.isFalse(yield* contents.storeBody(reading, { body: new Uint8Array(3) }))
        assert.isFalse(yield* contents.finish(reading, { status: "completed", status_message: "" }, at))
        assert.isFalse(yield* contents.restart(found, []))
        assert.isFalse(yield* contents.putFile(folder, newContent({ instance }), {}, at))
        assert.deepStrictEqual(yield* contents.filesOf(folder, undefined), [])
        assert.deepStrictEqual(yield* contents.publishedChunks(found), [])
        assert.deepStrictEqual([...(yield* chunks.added(found))], [])
        assert.strictEqual((yield* Effect.flip(chunks.publish(reading)))._tag, "ContentSuperseded")
        const model = { model: "demo:small", dimensions: 4 }
        assert.strictEqual((yield* Effect.flip(chunks.add(reading, model, [chunk(1)])))._tag, "ContentSuperseded")
        const orphaned = { before: at + 1000, status_message: "" }
        assert.strictEqual(yield* contents.failOrphaned(orphaned, at), 0)
        assert.deepStrictEqual(yield* contents.dueFolders({ ...folders, instance, before: at + 1000 }), [])
        assert.deepStrictEqual(yield* contents.removeAll({ instance, owner: anyone }), { generation: 0 })
        // only contents are counted, and not the row of the removal
        const pieces = [yield* contents.prune, yield* contents.prune, yield* contents.prune]
        assert.deepStrictEqual(pieces, [contentsRemovedAtOnce, 104, 0])
        yield* pruneAll
        assert.deepStrictEqual(yield* rowsOf(instance), { contents: 0, removals: 0 })
        const sql = yield* SqlClient.SqlClient
        const left = yield* sql`
          select 1 from svc_contents s right join svc_chunks c on c.content_seq = s.seq where s.seq is null`
        assert.deepStrictEqual(left, [])
      }).pipe(Effect.provide(stores)))

    it.live("a folder of many files is removed with them, a piece of them in a statement", () =>
      Effect.gen(function*() {
        const [contents, sql] = [yield* ContentStore, yield* SqlClient.SqlClient]
        const instance = instanceName()
        const folder = yield* contents.put(newContent({ instance }), { folder: folders }, at)
        yield* fill(instance)
        yield* sql`update svc_contents set folder_id = ${folder.content_id} where instance = ${instance} and folder is null`
        const left = yield* put({ instance })
        let deletions = 0
        const counting: Statement.Transformer = (statement) =>
          Effect.sync(() => {
            if (/^\s*delete/.test(statement.compile()[0])) deletions++
            return statement
          })
        const remove = contents.remove({ ...folder, owner: anyone })
        const { count, files } = yield* Effect.provideService(remove, Statement.CurrentTransformer, counting)
        const number = 2 * contentsRemovedAtOnce + 100
        assert.deepStrictEqual([count, new Set(files).size], [number + 1, number])
        assert.strictEqual(deletions, 1 + 3)
        assert.deepStrictEqual((yield* listed(instance)).contents, [left])
      }).pipe(Effect.provide(stores)))

    it.live("a content that is uploaded after the removal is a new one, and stays", () =>
      Effect.gen(function*() {
        const [contents, sql] = [yield* ContentStore, yield* SqlClient.SqlClient]
        const instance = instanceName()
        yield* fill(instance)
        const user_id = userId()
        const fields = { instance, name: "manual" }
        const before = yield* publish({ ...fields, user_id }, [chunk(1, { id: "before" })])
        yield* contents.removeAll({ instance, owner: anyone })
        assert.strictEqual((yield* rowsOf(instance))?.removals, 1)
        const again = newContent({ ...fields, content_id: before.content_id })
        const after = yield* contents.put(again, {}, at + 100)
        assert.deepInclude(after, { created_at: at + 100, published: null, status: "processing", user_id: null })
        assert.isAbove(after.generation, before.generation)
        const [other] = yield* Effect.all([put({ instance })])
        // the model of removed chunks does not matter
        const large = { model: "demo:large", dimensions: 2 }
        const chunks = yield* ChunkStore
        yield* chunks.add(after, large, [chunk(1, { id: "after", vector: vector(1, 0) })])
        yield* chunks.publish(after)
        assert.deepStrictEqual(idsOf(yield* search(instance, byWords("part"))), ["after"])
        yield* pruneAll
        assert.strictEqual((yield* listed(instance)).total, 2)
        assert.strictEqual((yield* contents.get({ ...other, owner: anyone })).content_id, other.content_id)
        assert.deepStrictEqual(idsOf(yield* search(instance, byWords("part"))), ["after"])
        assert.deepStrictEqual(yield* rowsOf(instance), { contents: 2, removals: 0 })
        const bodies = yield* sql`select 1 from svc_content_bodies`
        assert.deepStrictEqual(bodies, [])
      }).pipe(Effect.provide(stores)))

    it.live("a repeated upload whose content was removed stores nothing", () =>
      Effect.gen(function*() {
        const contents = yield* ContentStore
        const instance = instanceName()
        yield* fill(instance)
        const [content, work] = [newContent({ instance }), { jobs: [job()] }]
        yield* contents.put(content, work, at)
        yield* contents.removeAll({ instance, owner: anyone })
        assert.strictEqual((yield* Effect.flip(contents.put(content, work, at)))._tag, "ContentStoredBefore")
        assert.strictEqual((yield* Effect.flip(contents.get({ ...content, owner: anyone })))._tag, "ContentNotFound")
        yield* pruneAll
        assert.deepStrictEqual(yield* rowsOf(instance), { contents: 0, removals: 0 })
      }).pipe(Effect.provide(stores)))

    it.live("a user's removal takes nothing from other users, from all or from other instances", () =>
      Effect.gen(function*() {
        const contents = yield* ContentStore
        const [instance, elsewhere] = [instanceName(), instanceName()]
        const [user, other] = [Ids.UserId.make(userId()), userId()]
        yield* fill(instance, user)
        const kept = [yield* put({ instance, user_id: other }), yield* put({ instance })]
        yield* put({ instance: elsewhere, user_id: user })
        const owner = Owner.user(user)
        yield* contents.removeAll({ instance, owner })
        assert.strictEqual((yield* rowsOf(instance))?.contents, contentsRemovedAtOnce + 102)
        const isLeft = Effect.gen(function*() {
          assert.strictEqual((yield* listed(instance)).total, kept.length)
          assert.strictEqual((yield* listed(instance, owner)).total, 1)
          assert.strictEqual((yield* listed(elsewhere, owner)).total, 1)
        })
        yield* isLeft
        yield* pruneAll
        yield* isLeft
        assert.deepStrictEqual(yield* rowsOf(instance), { contents: 2, removals: 0 })
      }).pipe(Effect.provide(stores)))

    it.live("a list or a search compares each content with its removal without reading the removals again", () =>
      Effect.gen(function*() {
        const [contents, sql] = [yield* ContentStore, yield* SqlClient.SqlClient]
        const instance = instanceName()
        const user_id = Ids.UserId.make(userId())
        const owner = Owner.user(user_id)
        yield* fill(instance, user_id)
        yield* fill(instance)
        yield* contents.removeAll({ instance, owner })
        const last = yield* put({ instance, user_id })
        const listedOne = contents.list({ instance, owner }, everything, newestFirst)
        assert.isAbove((yield* listedOne).total, contentsRemovedAtOnce)
        yield* contents.removeAll({ instance, owner: anyone })
        const next = yield* put({ instance, user_id })
        assert.deepStrictEqual((yield* listedOne).contents, [next])
        assert.notStrictEqual(next.content_id, last.content_id)
        const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
        const keep: Statement.Transformer = (statement) =>
          Effect.sync(() => {
            statements.push(statement.compile())
            return statement
          })
        yield* Effect.provideService(
          Effect.all([listedOne, search(instance, byWords("part"), { owner })]),
          Statement.CurrentTransformer,
          keep
        )
        for (const [text, parameters] of statements) {
          const lines = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain analyze ${text}`, parameters)
          const loops = lines.flatMap((line) =>
            line["QUERY PLAN"].includes("svc_content_removals")
              ? [Number(/loops=(\d+)/.exec(line["QUERY PLAN"])?.[1] ?? 0)]
              : []
          )
          assert.isAtMost(Math.max(0, ...loops), 1, text)
        }
        yield* pruneAll
        assert.deepStrictEqual(yield* rowsOf(instance), { contents: 1, removals: 0 })
      }).pipe(Effect.provide(stores)))

    it.live("uploads and removals at the same time leave what was uploaded after the last removal", () =>
      Effect.gen(function*() {
        const contents = yield* ContentStore
        const instance = instanceName()
        const ids = ["a", "b", "c"].map((id) => Knowledge.ContentId.make(id))
        for (let round = 0; round < 5; round++) {
          const uploads = Effect.forEach(ids, (content_id) => put({ instance, content_id }), { concurrency: 3 })
          const removing = yield* Effect.forkChild(
            Effect.forEach(
              [1, 2],
              () => Effect.andThen(contents.removeAll({ instance, owner: anyone }), contents.prune)
            )
          )
          yield* uploads
          yield* Fiber.join(removing)
        }
        yield* contents.removeAll({ instance, owner: anyone })
        const last = yield* put({ instance })
        yield* pruneAll
        assert.deepStrictEqual((yield* listed(instance)).contents, [last])
        assert.deepStrictEqual(yield* rowsOf(instance), { contents: 1, removals: 0 })
      }).pipe(Effect.provide(stores)))
  })
