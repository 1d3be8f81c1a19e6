// Uploaded folders: the job that stores their files, and their syncs.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { type Duration, Effect, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import * as ContentSource from "../ContentSource.ts"
import { ContentStore } from "../ContentStore.ts"
import { contentsIn, drain, files, open, sourceOf, stateOf, sync, uploadFolder } from "./FolderIngestion.ts"

describe("an uploaded folder", () => {
  it.effect("each of its files becomes a content with a job of its own, and the folder says how many there were", () => {
    const { fetched, source } = sourceOf(files())
    return Effect.gen(function*() {
      const folder = yield* uploadFolder({ user_id: Ids.UserId.make("ada") })
      assert.deepStrictEqual(yield* drain(), { "knowledge-folder": 1, "knowledge-folder-file": 2 })
      assert.deepStrictEqual(yield* contentsIn, ["Wiki completed", "Wiki/a.md completed", "Wiki/b/c.md completed"])
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 2 new or changed, 0 removed"])
      assert.deepStrictEqual(fetched, ["docs/a.md", "docs/b/c.md"])
      const { contents } = yield* (yield* ContentStore).list(
        { instance: "handbook", owner: Owner.anyone },
        { page: 1, limit: 100 },
        { by: "name", order: "asc" }
      )
      assert.deepStrictEqual([...new Set(contents.map(({ user_id }) => String(user_id)))], ["ada"])
      assert.deepStrictEqual(contents[1]?.metadata, {
        team: "people",
        _svc: { source_type: "s3", source_id: "wiki", source_path: "docs/a.md" }
      })
    }).pipe(Effect.provide(open(source)))
  })

  it.effect("a sync after the interval takes what is new or has changed, and removes what is gone", () => {
    const stored = files()
    const { fetched, source } = sourceOf(stored)
    return Effect.gen(function*() {
      const folder = yield* uploadFolder()
      yield* drain()
      fetched.length = 0
      yield* TestClock.adjust("59 minutes")
      yield* sync
      assert.deepStrictEqual(yield* drain(), {})
      yield* TestClock.adjust("2 minutes")
      yield* sync
      assert.strictEqual((yield* stateOf(folder))[0], "processing")
      yield* sync
      assert.deepStrictEqual(yield* drain(), { "knowledge-folder": 1 })
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 0 new or changed, 0 removed"])
      stored.set("docs/a.md", "Trains are late")
      stored.set("docs/d.md", "Ships")
      stored.delete("docs/b/c.md")
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 2 new or changed, 1 removed"])
      assert.deepStrictEqual(fetched, ["docs/a.md", "docs/d.md"])
      assert.deepStrictEqual(yield* contentsIn, ["Wiki completed", "Wiki/a.md completed", "Wiki/d.md completed"])
    }).pipe(Effect.provide(open(source)))
  })

  it.effect("a file of two folders is a content of each, also if both call it the same", () => {
    const { fetched, source } = sourceOf(files())
    return Effect.gen(function*() {
      const contents = yield* ContentStore
      const folder = yield* uploadFolder()
      const inner = yield* uploadFolder({ name: "Wiki/b", path: "docs/b/" })
      yield* drain()
      const file = "Wiki/b/c.md completed"
      assert.deepStrictEqual((yield* contentsIn).filter((each) => each === file), [file, file])
      fetched.length = 0
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.deepStrictEqual(fetched, [])
      yield* contents.remove({ ...folder, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contentsIn, ["Wiki/b completed", file])
      yield* contents.remove({ ...inner, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contentsIn, [])
    }).pipe(Effect.provide(open(source)))
  })

  it.effect("a file that failed is fetched again by the sync after a day, and by an upload of the folder at once", () => {
    const { fetched, source } = sourceOf(new Map([["docs/a.md", "Trains"], ["docs/b.md", "Damaged"]]))
    return Effect.gen(function*() {
      const fetchedBy = Effect.fnUntraced(function*<E, R>(step: Effect.Effect<unknown, E, R>) {
        fetched.length = 0
        yield* step
        yield* drain()
        return [...fetched]
      })
      const later = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), sync)
      assert.deepStrictEqual(yield* fetchedBy(uploadFolder()), ["docs/a.md", "docs/b.md"])
      assert.include(yield* contentsIn, "Wiki/b.md failed")
      assert.deepStrictEqual(yield* fetchedBy(later("61 minutes")), [])
      assert.deepStrictEqual(yield* fetchedBy(later("23 hours")), ["docs/b.md"])
      assert.deepStrictEqual(yield* fetchedBy(later("2 hours")), [])
      assert.deepStrictEqual(yield* fetchedBy(uploadFolder()), ["docs/b.md"])
      // a sync that waits does not stand for the upload
      assert.deepStrictEqual(yield* fetchedBy(Effect.andThen(later("61 minutes"), uploadFolder())), ["docs/b.md"])
    }).pipe(Effect.provide(open(source)), Effect.provideService(References.MinimumLogLevel, "None"))
  })

  it.effect("a source that does not respond is asked again, then the folder is failed, and its files stay", () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => void logged.push([message].flat().join(" ")))
    const { source, state } = sourceOf(files())
    return Effect.gen(function*() {
      const folder = yield* uploadFolder()
      yield* drain()
      state.fault = new ContentSource.ContentSourceFailed({ reason: "unavailable", message: "Busy", retryAfter: 60 })
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.strictEqual((yield* stateOf(folder))[0], "processing")
      const last = yield* uploadFolder()
      yield* drain(6)
      assert.deepStrictEqual(yield* stateOf(last), ["failed", "Error listing docs/: Busy"])
      assert.include(logged, "A folder of knowledge failed Error listing docs/: Busy")
      assert.include(yield* contentsIn, "Wiki/a.md completed")
      state.fault = undefined
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 0 new or changed, 0 removed"])
    }).pipe(Effect.provide(open(source)), Effect.provide(Logger.layer([logger])))
  })

  it.effect("a folder that is removed while its files are stored leaves nothing, and is not synced again", () => {
    const { source } = sourceOf(files())
    let remove = Effect.void
    const removing: ContentSource.Source = {
      ...source,
      folder: (request) => Effect.tap(source.folder!(request), () => remove)
    }
    return Effect.gen(function*() {
      const contents = yield* ContentStore
      const folder = yield* uploadFolder()
      remove = Effect.asVoid(Effect.orDie(contents.remove({ ...folder, owner: Owner.anyone })))
      assert.deepStrictEqual(yield* drain(), { "knowledge-folder": 1 })
      assert.deepStrictEqual(yield* contentsIn, [])
      remove = Effect.void
      const second = yield* uploadFolder()
      yield* drain()
      yield* contents.remove({ ...second, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contentsIn, [])
      yield* TestClock.adjust("61 minutes")
      yield* sync
      assert.deepStrictEqual(yield* drain(), {})
    }).pipe(Effect.provide(open(removing)))
  })

  it.effect("a folder with too many files or bytes is failed with the limit, and none of its files is stored", () => {
    const many = new Map(
      Array.from({ length: ContentSource.folderLimits.files + 1 }, (_, index) => [`docs/${index}`, "x"])
    )
    return Effect.gen(function*() {
      for (const [given, size] of [[many, 1], [files(), 6 * 1024 ** 3]] as const) {
        const { source, state } = sourceOf(given)
        state.size = size
        yield* Effect.gen(function*() {
          const folder = yield* uploadFolder()
          yield* drain()
          const [status, message] = yield* stateOf(folder)
          assert.strictEqual(status, "failed")
          assert.match(message ?? "", /at most (?:10000|10737418240) are uploaded at once$/)
          assert.strictEqual((yield* contentsIn).length, 1)
        }).pipe(Effect.provide(open(source)))
      }
    })
  })
})
