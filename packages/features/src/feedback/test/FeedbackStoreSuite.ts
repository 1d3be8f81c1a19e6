// What every `FeedbackStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { newId, newRun, runId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Feedback from "../Feedback.ts"
import { FeedbackStore } from "../FeedbackStore.ts"

export const given = (fields: Partial<Feedback.New> = {}): Feedback.New => ({
  id: Feedback.Id.make(newId("feedback")),
  run_id: runId(),
  user_id: null,
  source: "user",
  key: "rating",
  score: 1,
  comment: null,
  at: 1_000,
  ...fields
})

/** A run of a user. */
const started = Effect.fnUntraced(function*(user_id = userId()) {
  const run = newRun({ user_id })
  yield* Effect.flatMap(RunStore, (runs) => runs.create(run))
  return { ...run, user_id, store: yield* FeedbackStore }
})

const page = { page: 1, limit: 10 }
const anyone = Owner.anyone

export const suite = <E>(name: string, stores: Layer.Layer<FeedbackStore | RunStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`FeedbackStore, ${name}`, (it) => {
    it.effect("feedback of each kind of score is stored with the run's session and component, and read as it was", () =>
      Effect.gen(function*() {
        const { run_id, session_id, store, user_id } = yield* started()
        for (const [key, score] of [["number", 0.25], ["flag", false], ["label", "a \u0000 label"]] as const) {
          const one = given({ run_id, user_id, key, score, comment: "ü" })
          const { at: _, ...fields } = one
          assert.deepStrictEqual(Option.getOrThrow(yield* store.put(one, Owner.user(user_id))), {
            ...fields,
            session_id,
            kind: "agent",
            component_id: "assistant",
            created_at: 1_000,
            updated_at: 1_000
          })
        }
        const all = Option.getOrThrow(yield* store.ofRun(run_id, anyone))
        assert.deepStrictEqual(all.map(({ score }) => score), [0.25, false, "a \u0000 label"])
      }))

    it.effect("a comment keeps its text, except for characters that a database does not have", () =>
      Effect.gen(function*() {
        const { run_id, store } = yield* started()
        const comment = "ü \u0000 \ud800"
        const stored = Option.getOrThrow(yield* store.put(given({ run_id, comment }), anyone))
        assert.strictEqual(stored.comment, "ü \ufffd \ufffd")
        const [read] = Option.getOrThrow(yield* store.ofRun(run_id, anyone))
        assert.deepStrictEqual(read, stored)
      }))

    it.effect("the same author and key replace a score, and another author, key or source adds one", () =>
      Effect.gen(function*() {
        const { run_id, store, user_id } = yield* started()
        const first = given({ run_id, user_id })
        yield* store.put(first, anyone)
        const again = Option.getOrThrow(
          yield* store.put(given({ run_id, user_id, score: false, comment: "no", at: 2_000 }), anyone)
        )
        assert.deepInclude(again, { id: first.id, score: false, comment: "no", created_at: 1_000, updated_at: 2_000 })
        const others = [{ user_id: userId() }, { user_id: null }, { user_id, key: "tone" }, {
          source: "scorer"
        }] as const
        for (const other of others) yield* store.put(given({ run_id, ...other }), anyone)
        yield* store.put(given({ run_id, user_id: null, score: 3 }), anyone)
        const all = Option.getOrThrow(yield* store.ofRun(run_id, anyone))
        assert.deepStrictEqual(all.map(({ score }) => score), [false, 1, 3, 1, 1])
      }))

    it.effect("a run of another user is not found, and nothing is stored", () =>
      Effect.gen(function*() {
        const { run_id, store } = yield* started()
        for (const owner of [Owner.user(userId()), Owner.none]) {
          assert.isTrue(Option.isNone(yield* store.put(given({ run_id }), owner)))
          assert.isTrue(Option.isNone(yield* store.ofRun(run_id, owner)))
        }
        assert.isTrue(Option.isNone(yield* store.put(given(), anyone)))
        assert.isTrue(Option.isNone(yield* store.ofRun(runId(), anyone)))
        assert.deepStrictEqual(yield* store.ofRun(run_id, anyone), Option.some([]))
      }))

    it.effect("a run with as many as the limit refuses another, and lets one be replaced", () =>
      Effect.gen(function*() {
        const { run_id, store } = yield* started()
        const keys = Array.from({ length: Feedback.maxPerRun }, (_, number) => `key ${number}`)
        for (const key of keys) yield* store.put(given({ run_id, key }), anyone)
        const { _tag } = yield* Effect.flip(store.put(given({ run_id, key: "more" }), anyone))
        assert.strictEqual(_tag, "FeedbackFull")
        assert.isTrue(Option.isSome(yield* store.put(given({ run_id, key: "key 7", score: 2 }), anyone)))
      }))

    it.effect("a list has what matches all filters, newest first, with the total past its end", () =>
      Effect.gen(function*() {
        const [ann, bob] = [yield* started(), yield* started()]
        const { store } = ann
        const owner = Owner.user(ann.user_id)
        const [first, second] = [
          given({ run_id: ann.run_id }),
          given({ run_id: ann.run_id, source: "scorer", key: "b" })
        ]
        for (const one of [first, second, given({ run_id: bob.run_id })]) yield* store.put(one, anyone)
        const ids = (filter: object) =>
          Effect.map(store.list({ owner, ...filter }, page), ({ feedback }) => feedback.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({}), [second.id, first.id])
        assert.deepStrictEqual(yield* ids({ run_id: bob.run_id }), [])
        assert.deepStrictEqual(yield* ids({ session_id: ann.session_id, key: "b" }), [second.id])
        assert.deepStrictEqual(yield* ids({ source: "user" }), [first.id])
        assert.deepStrictEqual(yield* ids({ component: { kind: "agent", id: "assistant" } }), [second.id, first.id])
        assert.deepStrictEqual(yield* ids({ component: { kind: "team", id: "assistant" } }), [])
        assert.deepStrictEqual(yield* ids({ owner: Owner.none }), [])
        assert.deepStrictEqual(yield* store.list({ owner }, { page: 9, limit: 1 }), { feedback: [], total: 2 })
      }))

    it.effect("a single entry is deleted, and the entry of a run of another user is not found", () =>
      Effect.gen(function*() {
        const { run_id, store, user_id } = yield* started()
        const [first, second] = [given({ run_id }), given({ run_id, key: "tone" })]
        for (const one of [first, second]) yield* store.put(one, anyone)
        for (const owner of [Owner.user(userId()), Owner.none]) assert.isFalse(yield* store.remove(first.id, owner))
        assert.isFalse(yield* store.remove(given().id, anyone))
        assert.isTrue(yield* store.remove(first.id, Owner.user(user_id)))
        assert.isFalse(yield* store.remove(first.id, anyone))
        const rest = Option.getOrThrow(yield* store.ofRun(run_id, anyone))
        assert.deepStrictEqual(rest.map(({ key }) => key), ["tone"])
      }))

    it.effect("feedback is removed with its session, and the feedback of a user with the user", () =>
      Effect.gen(function*() {
        const [one, other] = [yield* started(), yield* started()]
        const { store } = one
        const user_id = userId()
        for (const { run_id } of [one, other]) {
          yield* store.put(given({ run_id, user_id }), anyone)
          yield* store.put(given({ run_id, key: "kept" }), anyone)
        }
        yield* Effect.flatMap(SessionStore, (sessions) => sessions.remove([one.session_id], anyone))
        assert.strictEqual((yield* store.list({ owner: Owner.user(one.user_id) }, page)).total, 0)
        assert.strictEqual(yield* store.removeOf(user_id), 1)
        const rest = Option.getOrThrow(yield* store.ofRun(other.run_id, anyone))
        assert.deepStrictEqual(rest.map(({ key }) => key), ["kept"])
      }))
  })
