// The processing of a content: its body, its jobs, its progress and its end.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Option } from "effect"
import * as ContentJobKey from "../ContentJobKey.ts"
import { ContentStore } from "../ContentStore.ts"
import type * as Knowledge from "../Knowledge.ts"
import { at, newContent, put } from "./SampleKnowledge.ts"

const job = (fields: Partial<Job.NewJob> = {}): Job.NewJob => ({
  id: Job.Id.make(newId("job")),
  kind: "ingestion",
  key: newId("key"),
  isUnique: true,
  payload: { a: 1 },
  max_attempts: 3,
  user_id: null,
  session_id: null,
  run_at: undefined,
  ...fields
})

const completed = { status: "completed", status_message: "" } as const

export const processing = (it: Vitest.MethodsNonLive<ContentStore | JobStore>) => {
  it.effect("the uploaded bytes are read as they were stored, also if they are many", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      for (const length of [0, 1, 3_000_001]) {
        const body = Uint8Array.from({ length }, (_, index) => index % 251)
        const content = yield* contents.put(newContent(), { body }, at)
        const found = Option.getOrThrow(yield* contents.body(content))
        assert.strictEqual(found.length, length)
        assert.isTrue(found.every((byte, index) => byte === index % 251))
      }
      assert.isTrue(Option.isNone(yield* contents.body(yield* put())))
    }))

  it.effect("a replacement replaces the body, and the end of the processing removes it", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const given = newContent()
      const first = yield* contents.put(given, { body: Uint8Array.of(1, 2, 3) }, at)
      const second = yield* contents.put(given, { body: Uint8Array.of(4) }, at)
      assert.isTrue(Option.isNone(yield* contents.body(first)))
      assert.deepStrictEqual(Option.getOrThrow(yield* contents.body(second)), Uint8Array.of(4))
      assert.isTrue(yield* contents.finish(second, completed, at))
      assert.isTrue(Option.isNone(yield* contents.body(second)))
    }))

  it.effect("a content without a waiting or executing job of any kind is ended as failed, and its body is removed", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const jobs = yield* JobStore
      const kind = newId("kind")
      // contents of other tests have no job of this kind, and are younger
      const old = at - 10_000
      const putWith = Effect.fnUntraced(function*(updated: number) {
        const given = newContent()
        const wanted = job({ kind, key: ContentJobKey.of(given) })
        const content = yield* contents.put(given, { body: Uint8Array.of(1), jobs: [wanted] }, updated)
        return { content, job: wanted.id }
      })
      const statusOf = ({ content }: { readonly content: Knowledge.Content }) =>
        Effect.map(contents.get({ ...content, owner: Owner.anyone }), ({ status }) => status)
      const [cancelled, waiting, recent] = [yield* putWith(old), yield* putWith(old), yield* putWith(old + 100)]
      const ended = yield* contents.put(newContent(), {}, old)
      yield* contents.finish(ended, completed, old)
      yield* jobs.cancel(cancelled.job, Owner.anyone)
      yield* jobs.cancel(recent.job, Owner.anyone)
      const sweep = contents.failOrphaned({ before: old + 1, status_message: "No job." }, at)
      yield* Effect.repeat(sweep, { until: (count) => count === 0 })
      assert.deepStrictEqual(yield* Effect.forEach([cancelled, waiting, recent, { content: ended }], statusOf), [
        "failed",
        "processing",
        "processing",
        "completed"
      ])
      const stored = yield* contents.get({ ...cancelled.content, owner: Owner.anyone })
      assert.deepStrictEqual([stored.status_message, stored.updated_at], ["No job.", at])
      assert.isTrue(Option.isNone(yield* contents.body(cancelled.content)))
      assert.isTrue(Option.isSome(yield* contents.body(waiting.content)))
    }))

  it.effect("a job sees that a later one of its content waits or is executed, and none that has ended", () =>
    Effect.gen(function*() {
      const [contents, jobs] = [yield* ContentStore, yield* JobStore]
      const [kind, other] = [newId("kind"), newId("kind")]
      const given = newContent()
      const key = ContentJobKey.of(given)
      const first = job({ kind, key, isUnique: false })
      const second = job({ kind: other, key, isUnique: false })
      const elsewhere = job({ kind, isUnique: false })
      for (const each of [first, second, elsewhere]) yield* contents.put(given, { jobs: [each] }, at)
      const isLater = (of: Job.NewJob, kinds = [kind, other]) => contents.hasLaterJob(of, kinds)
      assert.deepStrictEqual([yield* isLater(first), yield* isLater(first, [kind])], [true, false])
      assert.deepStrictEqual([yield* isLater(second), yield* isLater(elsewhere), yield* isLater(job({ kind, key }))], [
        false,
        false,
        false
      ])
      const [acquired] = yield* jobs.acquire({ node: "node", slots: { [other]: 1 } })
      assert.isTrue(yield* isLater(first))
      yield* jobs.finish(acquired!, { _tag: "Completed" })
      assert.isFalse(yield* isLater(first))
    }))

  it.effect("the jobs of a content are stored with it, and none for a content that is refused", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const jobs = yield* JobStore
      const [wanted, unwanted] = [job(), job()]
      const stored = yield* contents.put(newContent(), { jobs: [wanted] }, at)
      assert.isTrue(Option.isSome(yield* jobs.find(wanted.id, Owner.anyone)))
      yield* Effect.flip(contents.put({ ...newContent(stored), user_id: userId() }, { jobs: [unwanted] }, at))
      assert.isTrue(Option.isNone(yield* jobs.find(unwanted.id, Owner.anyone)))
    }))

  it.effect("a content whose job is stored is not stored again, although it was replaced or removed meanwhile", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const wanted = job()
      const first = yield* contents.put(newContent(), { jobs: [wanted] }, at)
      const second = yield* contents.put({ ...newContent(first), digest: "later" }, { jobs: [job()] }, at)
      const repeat = contents.put(newContent(first), { jobs: [wanted] }, at)
      assert.strictEqual((yield* Effect.flip(repeat))._tag, "ContentStoredBefore")
      const key = { ...first, owner: Owner.anyone }
      assert.deepStrictEqual(yield* contents.get(key), second)
      yield* contents.remove(key)
      assert.strictEqual((yield* Effect.flip(repeat))._tag, "ContentStoredBefore")
      assert.strictEqual((yield* Effect.flip(contents.get(key)))._tag, "ContentNotFound")
    }))

  it.effect("what was read of a version is kept until its end, and only while it is processed", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const given = newContent()
      const [first, second] = [yield* contents.put(given, {}, at), yield* contents.put(given, {}, at)]
      assert.isFalse(yield* contents.storeBody(first, { body: Uint8Array.of(1) }))
      assert.isTrue(yield* contents.storeBody(second, { body: Uint8Array.of(2, 3), size: 9, type: "text/plain" }))
      assert.isTrue(yield* contents.storeBody(second, { body: Uint8Array.of(2, 3) }))
      assert.deepStrictEqual(yield* contents.body(second), Option.some(Uint8Array.of(2, 3)))
      yield* contents.finish(second, completed, at)
      assert.isTrue(Option.isNone(yield* contents.body(second)))
      assert.isFalse(yield* contents.storeBody(second, { body: Uint8Array.of(4) }))
      const { size, type } = yield* contents.get({ ...second, owner: Owner.anyone })
      assert.deepStrictEqual([size, type], [9, "text/plain"])
    }))

  it.effect("exactly one of two simultaneous equal requests stores the content", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const [given, wanted] = [newContent(), job()]
      const put = Effect.exit(contents.put(given, { jobs: [wanted] }, at))
      const exits = yield* Effect.all([put, put], { concurrency: "unbounded" })
      assert.deepStrictEqual(exits.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
    }))

  it.effect("the end of a version stores its status, message and what was found out", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const stored = yield* put({ name: null, type: null })
      assert.isTrue(yield* contents.report(stored, { done: 3, total: 10 }))
      const found = { name: "Title", type: "text/html", size: 12 }
      assert.isTrue(yield* contents.finish(stored, { ...completed, ...found }, at + 3))
      assert.deepStrictEqual(yield* contents.get({ ...stored, owner: Owner.anyone }), {
        ...stored,
        ...found,
        status: "completed",
        status_message: "",
        progress: { done: 3, total: 10 },
        updated_at: at + 3
      })
    }))

  it.effect("a version that was replaced, removed or ended is neither reported nor ended again", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const given = newContent()
      const first = yield* contents.put(given, {}, at)
      const second = yield* contents.put(given, {}, at)
      const isStale = Effect.fnUntraced(function*(version: typeof first) {
        const failed = { status: "failed", status_message: "late" } as const
        assert.isFalse(yield* contents.report(version, { done: 1, total: 1 }))
        assert.isFalse(yield* contents.finish(version, failed, at))
        assert.isTrue(Option.isNone(yield* contents.body(version)))
      })
      yield* isStale(first)
      assert.isTrue(yield* contents.finish(second, completed, at))
      yield* isStale(second)
      const key = { ...given, owner: Owner.anyone }
      assert.strictEqual((yield* contents.get(key)).status, "completed")
      const third = yield* contents.put(given, { body: Uint8Array.of(1) }, at)
      yield* contents.remove(key)
      yield* isStale(third)
    }))

  it.effect("a version that begins again has a later generation, and the one before is stale", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const first = yield* put()
      yield* contents.report(first, { done: 1, total: 2 })
      const second = Option.getOrThrow(yield* contents.renew(first))
      assert.isAbove(second.generation, first.generation)
      assert.deepStrictEqual(second, { ...first, generation: second.generation })
      assert.isFalse(yield* contents.report(first, { done: 2, total: 2 }))
      assert.isTrue(Option.isNone(yield* contents.renew(first)))
      assert.isTrue(yield* contents.finish(second, completed, at))
      assert.isTrue(Option.isNone(yield* contents.renew(second)))
    }))

  it.effect("a content that is stored twice at the same time has one of the two versions", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const given = newContent()
      const stored = yield* Effect.forEach(
        [1, 2, 3, 4],
        (byte) => contents.put({ ...given, name: `${byte}` }, { body: Uint8Array.of(byte) }, at),
        { concurrency: "unbounded" }
      )
      const found = yield* contents.get({ ...given, owner: Owner.anyone })
      const last = stored.reduce((one, other) => one.generation > other.generation ? one : other)
      assert.deepStrictEqual(found, last)
      assert.deepStrictEqual(Option.getOrThrow(yield* contents.body(found)), Uint8Array.of(Number(found.name)))
    }))
}
