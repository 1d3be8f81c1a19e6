// What every `TaskPushStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { isSealed, keysOf, Secrets } from "@svc-runtime/http/calls/Secrets"
import { newId, newRun, runId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option, Redacted, Result } from "effect"
import * as SecretRows from "../../secrets/SecretRows.ts"
import { maxPerRun, opened, type TaskPush } from "../TaskPush.ts"
import { TaskPushStore } from "../TaskPushStore.ts"

const at = 1_700_000_000

const keys = Result.getOrThrow(keysOf(Redacted.make(Buffer.alloc(32, 1).toString("base64"))))

export const pushOf = (run_id: Run.Id, fields: Partial<TaskPush> = {}): TaskPush => ({
  run_id,
  id: newId("push"),
  version: "1.0",
  url: "https://example.com/a2a",
  token: null,
  scheme: null,
  credentials: null,
  ...fields
})

export const suite = <E>(name: string, stores: Layer.Layer<RunStore | SessionStore | TaskPushStore, E>) =>
  layer(stores, { excludeTestServices: true })(`TaskPushStore, ${name}`, (it) => {
    const started = Effect.fnUntraced(function*() {
      const user_id = userId()
      const run = newRun({ user_id })
      yield* RunStore.use((store) => store.create(run))
      return { run, owner: Owner.user(user_id) }
    })

    it.effect("the configs of a run are listed in their order, and one is replaced by its id", () =>
      Effect.gen(function*() {
        const store = yield* TaskPushStore
        const { owner, run } = yield* started()
        const first = pushOf(run.run_id, { token: "t", scheme: "Bearer", credentials: "c" })
        const second = pushOf(run.run_id, { version: "0.3" })
        const stored = yield* store.put(first, owner, at)
        const expected = { ...first, session_id: run.session_id, delivered: null }
        assert.deepStrictEqual(stored, Option.some(expected))
        yield* store.put(second, owner, at)
        yield* store.delivered(second, "RUNNING")
        const [one, two] = yield* store.list(run.run_id, owner)
        assert.deepStrictEqual(one, expected)
        assert.strictEqual(two?.delivered, "RUNNING")
        yield* store.put({ ...second, url: "https://example.com/other" }, owner, at)
        const [, again] = yield* store.list(run.run_id, owner)
        assert.deepStrictEqual([again?.url, again?.delivered], ["https://example.com/other", null])
      }))

    it.effect("a delivered change is stored only with the config that was called, and not with one that replaced it", () =>
      Effect.gen(function*() {
        const store = yield* TaskPushStore
        const { owner, run } = yield* started()
        const called = pushOf(run.run_id)
        const changes: ReadonlyArray<Partial<TaskPush>> = [
          { url: "https://example.com/other" },
          { version: "0.3" },
          { token: "t" },
          { scheme: "Bearer" },
          { credentials: "c" }
        ]
        const deliveredOf = Effect.map(store.list(run.run_id, owner), ([push]) => push?.delivered)
        for (const change of changes) {
          yield* store.put({ ...called, ...change }, owner, at)
          yield* store.delivered(called, "COMPLETED 4")
          assert.isNull(yield* deliveredOf, JSON.stringify(change))
          yield* store.delivered({ ...called, ...change }, "COMPLETED 4")
          assert.strictEqual(yield* deliveredOf, "COMPLETED 4")
        }
        yield* store.remove(run.run_id, called.id, owner)
        yield* store.put({ ...called, token: "made again" }, owner, at)
        yield* store.delivered(called, "COMPLETED 4")
        assert.isNull(yield* deliveredOf)
      }))

    it.effect("the secrets of a config are sealed, and open as they were", () =>
      Effect.gen(function*() {
        const [store, secrets] = [yield* TaskPushStore, yield* Secrets]
        const { owner, run } = yield* started()
        const push = pushOf(run.run_id, { token: "t", scheme: "Bearer", credentials: "c" })
        yield* store.put(push, owner, at)
        yield* store.put(pushOf(run.run_id), owner, at)
        yield* SecretRows.reseal(store)
        const [stored, without] = yield* store.list(run.run_id, owner)
        if (stored === undefined) return assert.fail("It is not stored")
        for (const text of [stored.token, stored.credentials]) assert.isTrue(isSealed(text ?? ""))
        assert.deepStrictEqual(yield* opened(secrets, stored), { ...stored, token: "t", credentials: "c" })
        assert.deepStrictEqual([stored.scheme, without?.token, without?.credentials], ["Bearer", null, null])
        yield* store.delivered(stored, "RUNNING")
        assert.deepStrictEqual((yield* store.list(run.run_id, owner)).map(({ delivered }) => delivered), [
          "RUNNING",
          null
        ])
      }).pipe(Effect.provide(Secrets.layerOf(keys))))

    it.effect("a run has a limited number of configs", () =>
      Effect.gen(function*() {
        const store = yield* TaskPushStore
        const { owner, run } = yield* started()
        const all = Array.from({ length: maxPerRun }, () => pushOf(run.run_id))
        for (const push of all) yield* store.put(push, owner, at)
        const error = yield* Effect.flip(store.put(pushOf(run.run_id), owner, at))
        assert.strictEqual(error._tag, "TaskPushesFull")
        for (const push of all.slice(0, 1)) assert.isTrue(Option.isSome(yield* store.put(push, owner, at)))
      }))

    it.effect("others neither see, change nor remove a config, and an unknown run has none", () =>
      Effect.gen(function*() {
        const store = yield* TaskPushStore
        const { owner, run } = yield* started()
        const push = pushOf(run.run_id)
        yield* store.put(push, owner, at)
        for (const other of [Owner.user(userId()), Owner.none]) {
          assert.deepStrictEqual(yield* store.put(pushOf(run.run_id), other, at), Option.none())
          assert.deepStrictEqual(yield* store.list(run.run_id, other), [])
          assert.isFalse(yield* store.remove(run.run_id, push.id, other))
        }
        assert.deepStrictEqual(yield* store.put(pushOf(runId()), Owner.anyone, at), Option.none())
        assert.isTrue(yield* store.remove(run.run_id, push.id, owner))
        assert.isFalse(yield* store.remove(run.run_id, push.id, owner))
      }))

    it.effect("configs are removed with their session", () =>
      Effect.gen(function*() {
        const store = yield* TaskPushStore
        const { owner, run } = yield* started()
        yield* store.put(pushOf(run.run_id), owner, at)
        yield* SessionStore.use((sessions) => sessions.remove([run.session_id], owner))
        assert.deepStrictEqual(yield* store.list(run.run_id, Owner.anyone), [])
      }))
  })
