// The job that processes an upload, attempt by attempt.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Layer, Logger, Option } from "effect"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import type { KnowledgeRegistry } from "../KnowledgeRegistry.ts"
import {
  attempt,
  embedderOf,
  found,
  lines,
  open,
  pages,
  passing,
  refusal,
  stateOf,
  upload,
  uploadOf
} from "./Ingestion.ts"

describe("the ingestion of an upload", () => {
  it.effect("a content is searchable after the job, and its progress was reported", () => {
    const { embedder } = embedderOf()
    return Effect.gen(function*() {
      const { job, stored } = yield* upload(lines(3))
      assert.deepStrictEqual(yield* attempt(job), {
        isDone: true,
        reported: [{ done: 0, total: 3 }, { done: 3, total: 3 }]
      })
      assert.deepStrictEqual(yield* stateOf(stored), { name: "notes", status: "completed", status_message: "" })
      assert.strictEqual((yield* found("line")).length, 3)
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("an attempt after a failed one embeds only the chunks that are not stored", () => {
    const { calls, embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    return Effect.gen(function*() {
      const { job, stored } = yield* upload(lines(250))
      assert.isFalse((yield* attempt(job)).isDone)
      assert.deepStrictEqual([(yield* stateOf(stored)).status, yield* found("line")], ["processing", []])
      assert.isTrue((yield* attempt(job, 2)).isDone)
      assert.deepStrictEqual(calls.map(({ length }) => length), [200, 50, 50])
      assert.strictEqual((yield* found("line")).length, 250)
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a page is fetched once, and a later attempt embeds only the chunks that are not stored", () => {
    const { calls, embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    const url = "https://example.com/kept"
    return Effect.gen(function*() {
      pages.set(url, lines(250))
      const { job, stored } = yield* uploadOf({ _tag: "Url", url }, "page")
      assert.isFalse((yield* attempt(job)).isDone)
      pages.set(url, "!")
      assert.isTrue((yield* attempt(job, 2)).isDone)
      assert.deepStrictEqual(calls.map(({ length }) => length), [200, 50, 50])
      assert.strictEqual((yield* found("line")).length, 250)
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
      const contents = yield* ContentStore
      assert.isTrue(Option.isNone(yield* contents.body(stored)))
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a page that changes after chunks of it were stored and it was not kept has no chunks of before", () => {
    const { embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    const url = "https://example.com/changing"
    return Effect.gen(function*() {
      pages.set(url, lines(250))
      const { job, stored } = yield* uploadOf({ _tag: "Url", url }, "page")
      assert.isFalse((yield* attempt(job)).isDone)
      // an older version of the service kept nothing
      const contents = yield* ContentStore
      const version = yield* contents.get({ ...stored, owner: Owner.anyone })
      assert.isTrue(yield* contents.storeBody(version, { body: new Uint8Array() }))
      pages.set(url, lines(240).replaceAll("line", "sentence"))
      assert.isTrue((yield* attempt(job, 2)).isDone)
      assert.deepStrictEqual([(yield* found("line")).length, (yield* found("sentence")).length], [0, 240])
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a page that an embedder refuses ends as failed", () => {
    const { embedder } = embedderOf(() => Effect.fail(refusal))
    const url = "https://example.com/refused"
    return Effect.gen(function*() {
      pages.set(url, "line")
      const { job, stored } = yield* uploadOf({ _tag: "Url", url }, "page")
      assert.isTrue((yield* attempt(job)).isDone)
      assert.strictEqual((yield* stateOf(stored)).status, "failed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("an embedder that refuses ends the content, and one that is down does so at the last attempt", () => {
    const errors = [refusal, passing]
    const { embedder } = embedderOf((call) => Effect.fail(errors[call - 1] ?? passing))
    return Effect.gen(function*() {
      const [refused, down] = [yield* upload("a", "refused"), yield* upload("b", "down")]
      assert.isTrue((yield* attempt(refused.job)).isDone)
      assert.match(String((yield* stateOf(refused.stored)).status_message), /^Could not insert embedding: .*too long/)
      assert.isFalse((yield* attempt(down.job, down.job.max_attempts - 1)).isDone)
      assert.strictEqual((yield* stateOf(down.stored)).status, "processing")
      assert.isTrue((yield* attempt(down.job, down.job.max_attempts)).isDone)
      assert.strictEqual((yield* stateOf(down.stored)).status, "failed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("the version before is found until the new one is whole, and stays if the new one cannot be read", () => {
    const { embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    return Effect.gen(function*() {
      yield* Effect.flatMap(upload("old line"), ({ job }) => attempt(job))
      const second = yield* upload("new line")
      assert.isFalse((yield* attempt(second.job)).isDone)
      assert.deepStrictEqual(yield* found("line"), ["old line"])
      yield* attempt(second.job, 2)
      assert.deepStrictEqual(yield* found("line"), ["new line"])
      const broken = yield* upload("!")
      yield* attempt(broken.job)
      assert.deepStrictEqual(yield* stateOf(broken.stored), {
        name: "notes",
        status: "failed",
        status_message: "Content could not be read: The file is encrypted."
      })
      assert.deepStrictEqual(yield* found("line"), ["new line"])
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a content that is replaced while it is processed ends with the replacement alone", () => {
    let replace: Effect.Effect<void> = Effect.void
    const { embedder } = embedderOf((call) => call === 1 ? Effect.suspend(() => replace) : Effect.void)
    return Effect.gen(function*() {
      const services = yield* Effect.context<ContentStore | KnowledgeRegistry>()
      const first = yield* upload("first line")
      let second = first
      replace = upload("second line").pipe(
        Effect.map((uploaded) => void (second = uploaded)),
        Effect.orDie,
        Effect.provide(services)
      )
      assert.isTrue((yield* attempt(first.job)).isDone)
      assert.deepStrictEqual([(yield* stateOf(first.stored)).status, yield* found("line")], ["processing", []])
      assert.isTrue((yield* attempt(first.job)).isDone)
      assert.deepStrictEqual(yield* found("line"), [])
      yield* attempt(second.job)
      assert.deepStrictEqual(yield* found("line"), ["second line"])
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a content that fails is logged, unless it was replaced meanwhile", () => {
    let replace: Effect.Effect<void> = Effect.void
    const { embedder } = embedderOf((call) =>
      Effect.andThen(call === 1 ? Effect.suspend(() => replace) : Effect.void, Effect.fail(refusal))
    )
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push([message].flat().join(" ")))
    return Effect.gen(function*() {
      const services = yield* Effect.context<ContentStore | KnowledgeRegistry>()
      const first = yield* upload("first line")
      let second = first
      replace = upload("second line").pipe(
        Effect.map((uploaded) => void (second = uploaded)),
        Effect.orDie,
        Effect.provide(services)
      )
      yield* attempt(first.job)
      assert.deepStrictEqual(logged, [])
      yield* attempt(second.job)
      assert.match(logged.join(), /^A content of knowledge failed Could not insert embedding/)
    }).pipe(Effect.provide(Layer.mergeAll(open(embedder), Logger.layer([logger]))))
  })

  it.effect("a content that is removed while it is processed leaves nothing", () => {
    let remove: Effect.Effect<void> = Effect.void
    const { embedder } = embedderOf((call) => call === 2 ? Effect.suspend(() => remove) : Effect.void)
    return Effect.gen(function*() {
      const contents = yield* ContentStore
      const { job, stored } = yield* upload(lines(250))
      remove = contents.remove({ ...stored, owner: Owner.anyone }).pipe(Effect.asVoid, Effect.orDie)
      assert.isTrue((yield* attempt(job)).isDone)
      assert.deepStrictEqual(yield* found("line"), [])
      assert.strictEqual((yield* Effect.flip(stateOf(stored)))._tag, "ContentNotFound")
      yield* ChunkStore.use(({ prune }) => prune)
      assert.strictEqual((yield* ChunkStore.use((store) => store.added(stored))).size, 0)
      assert.isTrue((yield* attempt(job, 2)).isDone)
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("an attempt whose database does not reply fails, and the next one processes the content", () => {
    const { embedder } = embedderOf()
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("a")
      const isDone = yield* attempt(job).pipe(
        Effect.updateService(ContentStore, (contents) => ({
          ...contents,
          get: () => Effect.fail(new StorageUnavailable({ cause: "cut" }))
        })),
        Effect.map(({ isDone }) => isDone)
      )
      assert.isFalse(isDone)
      yield* attempt(job)
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a content of a knowledge base that no node has ends as failed at the last attempt", () => {
    const { embedder } = embedderOf()
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("a")
      const unknown = { ...job, payload: { ...job.payload as Json.Object, knowledge_id: "gone" } }
      assert.isFalse((yield* attempt(unknown)).isDone)
      assert.strictEqual((yield* stateOf(stored)).status, "processing")
      yield* attempt(unknown, unknown.max_attempts)
      assert.deepStrictEqual(yield* stateOf(stored), {
        name: "notes",
        status: "failed",
        status_message: "No knowledge base with the ID gone is registered"
      })
    }).pipe(Effect.provide(open(embedder)))
  })
})
