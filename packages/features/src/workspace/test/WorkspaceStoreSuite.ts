// What every `WorkspaceStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as Samples from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import type * as WorkspaceFile from "../WorkspaceFile.ts"
import { type Changes, WorkspaceStore } from "../WorkspaceStore.ts"

const anyone = Owner.anyone
export const quota = { bytes: 100, files: 3 }

export const file = (path: string, text = path, executable = false): WorkspaceFile.NewFile => ({
  path,
  executable,
  hash: "hash",
  content: new TextEncoder().encode(text)
})

export const changes = (files: ReadonlyArray<WorkspaceFile.NewFile>, removed: ReadonlyArray<string> = []): Changes => ({
  files,
  removed,
  at: 1_000
})

const started = Effect.gen(function*() {
  const session = Samples.session({ user_id: Samples.userId() })
  yield* Effect.flatMap(SessionStore, (sessions) => sessions.create(session))
  return {
    id: session.session_id,
    owner: Owner.user(session.user_id ?? Samples.userId()),
    store: yield* WorkspaceStore
  }
})

export const suite = <E>(name: string, stores: Layer.Layer<SessionStore | WorkspaceStore, E>) =>
  layer(stores, { excludeTestServices: true })(`WorkspaceStore, ${name}`, (it) => {
    it.effect("files are stored, replaced and removed, and each change has the next number", () =>
      Effect.gen(function*() {
        const { id, owner, store } = yield* started
        assert.deepStrictEqual(yield* store.state(id, owner), Option.some({ revision: 0, files: [] }))
        assert.deepStrictEqual(
          yield* store.save(id, changes([file("b/c", "ü\u0000"), file("a", "x", true)]), quota, owner),
          Option.some(1)
        )
        const a = { path: "a", size: 1, hash: "hash", executable: true, updated_at: 1_000 }
        const read = Option.getOrThrow(yield* store.read(id, "b/c", owner))
        assert.deepStrictEqual(new TextDecoder().decode(read.content), "ü\u0000")
        const { files } = Option.getOrThrow(yield* store.state(id, owner))
        assert.deepStrictEqual(files.map(({ path, size }) => [path, size]), [["a", 1], ["b/c", 3]])
        assert.deepStrictEqual(files[0], a)
        assert.deepStrictEqual(
          yield* store.save(id, changes([file("d", "y")], ["b/c", "gone"]), quota, owner),
          Option.some(2)
        )
        const later = Option.getOrThrow(yield* store.state(id, owner))
        assert.deepStrictEqual([later.revision, later.files.map(({ path }) => path)], [2, ["a", "d"]])
        assert.isTrue(Option.isNone(yield* store.read(id, "b/c", owner)))
      }))

    it.effect("what is more than the quota is not stored, nor what came with it", () =>
      Effect.gen(function*() {
        const { id, store } = yield* started
        yield* store.save(id, changes([file("a")]), quota, anyone)
        const large = yield* Effect.flip(
          store.save(id, changes([file("b", "x".repeat(100))], ["a"]), quota, anyone).pipe(
            Effect.andThen(store.save(id, changes([file("c", "x")]), quota, anyone))
          )
        )
        assert.include(large.message, "3 files with 100 bytes")
        const many = yield* Effect.flip(
          store.save(id, changes([file("1"), file("2"), file("3"), file("4")], ["b"]), quota, anyone)
        )
        assert.strictEqual(many._tag, "WorkspaceFull")
        const { files, revision } = Option.getOrThrow(yield* store.state(id, anyone))
        assert.deepStrictEqual([revision, files.map(({ path }) => path)], [2, ["b"]])
      }))

    it.effect("many files and large ones are stored as they are", () =>
      Effect.gen(function*() {
        const { id, store } = yield* started
        const large = (path: string) => ({ ...file(path), content: new Uint8Array(700_000).fill(path.charCodeAt(0)) })
        const many = Array.from({ length: 450 }, (_, number) => file(`many/${number}`))
        const all = [...many, large("a"), large("b"), file("c", "")]
        const saved = yield* store.save(id, changes(all), { bytes: 2_000_000, files: 1000 }, anyone)
        assert.deepStrictEqual(saved, Option.some(1))
        const { files } = Option.getOrThrow(yield* store.state(id, anyone))
        assert.strictEqual(files.length, all.length)
        const { content } = Option.getOrThrow(yield* store.read(id, "b", anyone))
        assert.deepStrictEqual([content.length, content[0], content.at(-1)], [700_000, 98, 98])
      }))

    it.effect("a path is a file or a folder, and not both", () =>
      Effect.gen(function*() {
        const { id, store } = yield* started
        yield* store.save(id, changes([file("a/b")]), quota, anyone)
        for (const path of ["a", "a/b/c"]) {
          const { message } = yield* Effect.flip(store.save(id, changes([file(path)]), quota, anyone))
          assert.include(message, "is a file and would be a folder too")
        }
        assert.isTrue(Option.isSome(yield* store.save(id, changes([file("a-b"), file("a0")]), quota, anyone)))
      }))

    it.effect("the files of a session of another user are not found, and nothing is stored in it", () =>
      Effect.gen(function*() {
        const { id, store } = yield* started
        yield* store.save(id, changes([file("a")]), quota, anyone)
        for (const owner of [Owner.user(Samples.userId()), Owner.none, { ...anyone, session_id: "other" }]) {
          assert.isTrue(Option.isNone(yield* store.state(id, owner)))
          assert.isTrue(Option.isNone(yield* store.read(id, "a", owner)))
          assert.isTrue(Option.isNone(yield* store.save(id, changes([file("b")], ["a"]), quota, owner)))
        }
        assert.isTrue(Option.isNone(yield* store.save(Samples.sessionId(), changes([file("b")]), quota, anyone)))
        assert.strictEqual(Option.getOrThrow(yield* store.state(id, anyone)).files.length, 1)
      }))

    it.effect("a copy of a session has the files of that moment, and both go their own way", () =>
      Effect.gen(function*() {
        const [{ id: from, store }, { id: to }] = [yield* started, yield* started]
        yield* store.copySession(from, to)
        assert.strictEqual(Option.getOrThrow(yield* store.state(to, anyone)).revision, 0)
        yield* store.save(from, changes([file("a", "1", true)]), quota, anyone)
        yield* store.copySession(from, to)
        yield* store.save(from, changes([file("a", "2")]), quota, anyone)
        yield* store.copySession(from, to)
        const { content, executable } = Option.getOrThrow(yield* store.read(to, "a", anyone))
        assert.deepStrictEqual([new TextDecoder().decode(content), executable], ["1", true])
      }))

    it.effect("files are removed with their session", () =>
      Effect.gen(function*() {
        const { id, store } = yield* started
        yield* store.save(id, changes([file("a")]), quota, anyone)
        yield* Effect.flatMap(SessionStore, (sessions) => sessions.remove([id], anyone))
        assert.isTrue(Option.isNone(yield* store.state(id, anyone)))
        assert.isTrue(Option.isNone(yield* store.read(id, "a", anyone)))
        assert.isTrue(Option.isNone(yield* store.save(id, changes([file("a")]), quota, anyone)))
      }))
  })
