// Contents are embedded again after a change of the embedder.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  attempt,
  begun,
  countByMeaning,
  embedAgain,
  embedderOf,
  found,
  lines,
  lookForChanges,
  open,
  pages,
  refusal,
  renamed,
  stateOf,
  upload,
  uploadOf
} from "./Ingestion.ts"

describe("another embedder", () => {
  it.effect("contents are embedded again, and refused contents are found by words as before", () => {
    const { calls, embedder } = embedderOf((call) => call === 5 ? Effect.fail(refusal) : Effect.void)
    const { changed, id } = renamed(embedder)
    return Effect.gen(function*() {
      const uploads = [yield* upload(lines(3), "first"), yield* upload("word 1", "second")]
      for (const { job } of uploads) yield* attempt(job)
      yield* lookForChanges
      assert.deepStrictEqual(yield* begun, [])

      id.current = "test:other"
      yield* lookForChanges
      assert.strictEqual((yield* Effect.flip(countByMeaning))._tag, "EmbeddingMismatch")
      assert.strictEqual((yield* found("line")).length, 3)
      const jobs = yield* begun
      assert.strictEqual(jobs.length, 2)
      for (const job of jobs) assert.isTrue((yield* attempt(job)).isDone)
      assert.deepStrictEqual(calls.map(({ length }) => length), [3, 1, 1, 3, 1])
      assert.deepStrictEqual([yield* countByMeaning, (yield* found("line")).length, (yield* found("word")).length], [
        3,
        3,
        1
      ])
      const states = yield* Effect.forEach(uploads, ({ stored }) => stateOf(stored))
      assert.deepStrictEqual(states.map(({ status }) => status), ["completed", "failed"])
      yield* lookForChanges
      assert.deepStrictEqual(yield* begun, [])
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("an upload of the same URL meanwhile fetches it, and the chunks before are not published for it", () => {
    const { changed, id } = renamed(embedderOf().embedder)
    const url = { _tag: "Url", url: "https://example.com/again" } as const
    return Effect.gen(function*() {
      pages.set(url.url, "before")
      yield* attempt((yield* uploadOf(url, "page")).job)
      id.current = "test:other"
      yield* lookForChanges
      pages.set(url.url, "after")
      const { job, stored } = yield* uploadOf(url, "page")
      yield* embedAgain
      yield* attempt(job)
      assert.deepStrictEqual([yield* found("before"), yield* found("after")], [[], ["after"]])
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("a content whose last upload failed keeps its failure, and its chunks get new vectors", () => {
    const { changed, id } = renamed(embedderOf().embedder)
    return Effect.gen(function*() {
      yield* attempt((yield* upload("word")).job)
      const failed = yield* upload("!")
      yield* attempt(failed.job)
      const before = yield* stateOf(failed.stored)
      assert.strictEqual(before.status, "failed")
      id.current = "test:other"
      yield* lookForChanges
      yield* embedAgain
      assert.deepStrictEqual(yield* stateOf(failed.stored), before)
      assert.deepStrictEqual([yield* countByMeaning, (yield* found("word")).length], [1, 1])
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("a content that another embedder refused is completed when the next one embeds it", () => {
    const { changed, id } = renamed(embedderOf((call) => call === 3 ? Effect.fail(refusal) : Effect.void).embedder)
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("word")
      yield* attempt(job)
      const statuses: Array<string> = []
      for (const name of ["test:refusing", "test:other"]) {
        id.current = name
        yield* lookForChanges
        yield* embedAgain
        statuses.push((yield* stateOf(stored)).status)
      }
      assert.deepStrictEqual([...statuses, yield* countByMeaning], ["failed", "completed", 1])
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("a node with another embedder leaves it to other nodes, and pays for no vectors", () => {
    const { calls, embedder } = embedderOf()
    const { changed, id } = renamed(embedder)
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("word")
      yield* attempt(job)
      id.current = "test:other"
      yield* lookForChanges
      const [again] = yield* begun
      const paid = calls.length
      id.current = "test:first"
      assert.isFalse((yield* attempt(again!)).isDone)
      assert.deepStrictEqual([(yield* stateOf(stored)).status, calls.length], ["processing", paid])
      id.current = "test:other"
      assert.isTrue((yield* attempt(again!, 2)).isDone)
      assert.deepStrictEqual([(yield* stateOf(stored)).status, yield* countByMeaning], ["completed", 1])
    }).pipe(Effect.provide(open(changed)))
  })
})
