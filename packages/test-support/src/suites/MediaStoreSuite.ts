// What every `MediaStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { type NewMedium, partBytes } from "@svc-runtime/engine/media/StoredMedium"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, type Layer, Option } from "effect"
import { ending, newId, newRun, sessionId, userId } from "./Samples.ts"

const mediumOf = (bytes: Uint8Array, mime_type = "image/png"): NewMedium => ({ id: newId("medium"), mime_type, bytes })

export const suite = <E>(name: string, stores: Layer.Layer<MediaStore | RunStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`MediaStore, ${name}`, (it) => {
    const started = Effect.fnUntraced(function*() {
      const user_id = userId()
      const run = newRun({ user_id })
      yield* RunStore.use((store) => store.create(run))
      return { run, session: run.session_id, owner: Owner.user(user_id) }
    })

    it.effect("the owner of the session reads a medium in parts, and others do not find it", () =>
      Effect.gen(function*() {
        const store = yield* MediaStore
        const { owner, session } = yield* started()
        const bytes = new Uint8Array(partBytes + 3).fill(7)
        const { id } = yield* Effect.tap(Effect.succeed(mediumOf(bytes)), (medium) => store.put(session, medium))
        const found = yield* Effect.flatMap(store.find(id, owner), Effect.fromOption)
        assert.deepStrictEqual(found, { id, session_id: session, mime_type: "image/png", size: bytes.length })
        const first = yield* Effect.flatMap(store.readPart(found, 0, owner), Effect.fromOption)
        const second = yield* Effect.flatMap(store.readPart(found, 1, owner), Effect.fromOption)
        assert.deepStrictEqual([first.length, [...second]], [partBytes, [7, 7, 7]])
        assert.isTrue(Option.isNone(yield* store.readPart(found, 2, owner)))
        const stranger = Owner.user(userId())
        assert.isTrue(Option.isNone(yield* store.find(id, stranger)))
        assert.isTrue(Option.isNone(yield* store.readPart(found, 0, stranger)))
        assert.isTrue(Option.isSome(yield* store.find(id, Owner.anyone)))
      }))

    it.effect("a medium is stored once in a session, and what came first stays", () =>
      Effect.gen(function*() {
        const store = yield* MediaStore
        const { owner, session } = yield* started()
        const medium = mediumOf(new Uint8Array([1, 2]))
        yield* store.put(session, medium)
        yield* store.put(session, { ...medium, mime_type: "text/html" })
        const found = yield* Effect.flatMap(store.find(medium.id, owner), Effect.fromOption)
        assert.strictEqual(found.mime_type, "image/png")
      }))

    it.effect("a medium that is put twice at the same time has all its parts once", () =>
      Effect.gen(function*() {
        const store = yield* MediaStore
        const { owner, session } = yield* started()
        const medium = mediumOf(new Uint8Array(2 * partBytes + 1))
        yield* Effect.all([store.put(session, medium), store.put(session, medium)], { concurrency: 2 })
        const found = yield* Effect.flatMap(store.find(medium.id, owner), Effect.fromOption)
        const last = yield* Effect.flatMap(store.readPart(found, 2, owner), Effect.fromOption)
        assert.strictEqual(last.length, 1)
      }))

    it.effect("a medium without bytes has one part", () =>
      Effect.gen(function*() {
        const store = yield* MediaStore
        const { owner, session } = yield* started()
        const medium = mediumOf(new Uint8Array())
        yield* store.put(session, medium)
        const found = yield* Effect.flatMap(store.find(medium.id, owner), Effect.fromOption)
        assert.strictEqual((yield* Effect.flatMap(store.readPart(found, 0, owner), Effect.fromOption)).length, 0)
      }))

    it.effect("media are removed with their session, and none is stored in a session that is gone", () =>
      Effect.gen(function*() {
        const store = yield* MediaStore
        const { owner, run, session } = yield* started()
        const medium = mediumOf(new Uint8Array([1]))
        yield* store.put(session, medium)
        yield* RunStore.use((runs) => runs.finish(ending(run)))
        yield* SessionStore.use((sessions) => sessions.remove([session], owner))
        assert.isTrue(Option.isNone(yield* store.find(medium.id, Owner.anyone)))
        yield* store.put(session, medium)
        yield* store.put(sessionId(), medium)
        assert.isTrue(Option.isNone(yield* store.find(medium.id, Owner.anyone)))
      }))

    it.effect("a copy of a session has its media, and keeps them when the original is removed", () =>
      Effect.gen(function*() {
        const store = yield* MediaStore
        const { owner, run, session } = yield* started()
        const medium = mediumOf(new Uint8Array([1, 2, 3]))
        yield* store.put(session, medium)
        const runs = yield* RunStore
        yield* runs.finish(ending(run))
        const copy = sessionId()
        yield* runs.fork({ source: session, session_id: copy, filter: { owner }, created_at: 1_700_000_000 })
        yield* SessionStore.use((sessions) => sessions.remove([session], owner))
        const found = yield* Effect.flatMap(store.find(medium.id, owner), Effect.fromOption)
        assert.strictEqual(found.session_id, copy)
        assert.deepStrictEqual(yield* store.readPart(found, 0, owner), Option.some(medium.bytes))
      }))
  })
