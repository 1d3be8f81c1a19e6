// What a run reads of learnings, and updates that are applied at most once.
import { assert, type Vitest } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { acquire, enqueue, job } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newId, newRun, session, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { MemoryStore } from "../../memory/MemoryStore.ts"
import * as Learning from "../Learning.ts"
import { namespaceLimit } from "../LearningLimit.ts"
import { type LearningScope, LearningStore, type LearningUpdate } from "../LearningStore.ts"
import { create, find, learning, start } from "./Learnings.ts"
import { scopeOf, updateOf } from "./Updates.ts"

const relevant = (scope: LearningScope) => LearningStore.use((store) => store.relevant(scope))

export const applying = (
  it: Vitest.MethodsNonLive<JobStore | LearningStore | MemoryStore | RunStore | SessionStore>
) => {
  it.effect("a run reads the records of its user and session, then the newest of its namespace", () =>
    Effect.gen(function*() {
      const scope = scopeOf()
      const { namespace, session_id, user_id } = scope
      const own = { user_id: user_id ?? null }
      const profile = learning({
        ...own,
        learning_type: "user_profile",
        learning_id: Learning.Id.make(`user_profile_${user_id}`)
      })
      const context = learning({
        ...own,
        learning_type: "session_context",
        session_id,
        learning_id: Learning.Id.make(`session_context_${session_id}`),
        updated_at: start - 1
      })
      const [older, newer] = [learning({ namespace }), learning({ namespace, updated_at: start + 1 })]
      yield* Effect.forEach([older, newer, profile, context], create)
      assert.deepStrictEqual(yield* relevant(scope), [profile, context, newer, older])
      assert.deepStrictEqual(yield* relevant({ ...scope, types: ["learned_knowledge"] }), [newer, older])
      assert.deepStrictEqual(yield* relevant({ ...scope, types: ["user_profile"] }), [profile])
      assert.deepStrictEqual(yield* relevant({ ...scope, user_id: undefined, types: ["user_profile"] }), [])
    }))

  it.effect("a run reads nothing of other users, of other namespaces, or proposed", () =>
    Effect.gen(function*() {
      const scope = scopeOf()
      const { namespace, session_id } = scope
      const other = userId()
      yield* Effect.forEach([
        learning({ namespace, user_id: other }),
        learning({ namespace: newId("namespace") }),
        learning({ namespace, metadata: { status: "proposed", note: "\u0000" } }),
        learning({
          learning_type: "session_context",
          session_id,
          user_id: other,
          learning_id: Learning.Id.make(`session_context_${session_id}`)
        })
      ], create)
      assert.deepStrictEqual(yield* relevant(scope), [])
    }))

  it.effect("learnings without a namespace are in the global one, and in no other", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const learning_type = "decision_log" as const
      const bare = yield* create(learning({ learning_type, namespace: null, updated_at: start + 1_000 }))
      const named = yield* create(learning({ learning_type, namespace: "global", updated_at: start + 999 }))
      const scope = scopeOf({ namespace: "global", types: [learning_type] })
      assert.deepStrictEqual((yield* relevant(scope)).slice(0, 2), [bare, named])
      assert.deepStrictEqual(yield* relevant({ ...scope, namespace: newId("namespace") }), [])
      yield* Effect.forEach([bare, named], ({ learning_id }) => store.remove(learning_id, Owner.anyone))
    }))

  it.effect("a proposed learning is used as soon as its metadata approves it", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const scope = scopeOf()
      const one = yield* create(learning({ namespace: scope.namespace, metadata: { status: "proposed" } }))
      assert.deepStrictEqual(yield* relevant(scope), [])
      const approved = yield* store.update(one.learning_id, Owner.anyone, { metadata: null, updated_at: start + 1 })
      assert.deepStrictEqual(yield* relevant(scope), [approved])
      yield* store.update(one.learning_id, Owner.anyone, { metadata: { status: "proposed" }, updated_at: start + 1 })
      assert.deepStrictEqual(yield* relevant(scope), [])
    }))

  it.effect("an update changes the learnings that it reads, and one with a used key changes nothing", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const scope = scopeOf()
      const one = learning({ namespace: scope.namespace, metadata: { a: 1 } })
      const update = updateOf(scope, {
        ids: [one.learning_id],
        change: (found) => {
          const known = found.get(one.learning_id) ?? one
          return [{ ...known, content: { times: Number(known.content?.["times"] ?? 0) + 1 } }]
        }
      })
      assert.deepStrictEqual(yield* store.apply(update, start), { isNew: true, isErased: false, refused: 0 })
      assert.deepStrictEqual(yield* store.apply(update, start), { isNew: false, isErased: false, refused: 0 })
      assert.deepStrictEqual((yield* find(one))?.content, { times: 1 })
      yield* store.apply({ ...update, key: newId("key") }, start)
      assert.deepStrictEqual(yield* find(one), { ...one, content: { times: 2 } })
    }))

  it.effect("simultaneous updates of one learning are applied one after the other", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const scope = scopeOf()
      const one = learning({ namespace: scope.namespace })
      const change: LearningUpdate["change"] = (found) => {
        const times = Number(found.get(one.learning_id)?.content?.["times"] ?? 0)
        return [{ ...one, content: { times: times + 1 } }]
      }
      yield* Effect.forEach(
        Array.from({ length: 5 }),
        () => store.apply(updateOf(scope, { ids: [one.learning_id], change }), start),
        { concurrency: "unbounded", discard: true }
      )
      assert.deepStrictEqual((yield* find(one))?.content, { times: 5 })
    }))

  it.effect("an update neither reads nor replaces the learning of another owner", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const scope = scopeOf()
      const foreign = yield* create(learning({ user_id: userId(), namespace: scope.namespace }))
      let seen: number | undefined
      const applied = yield* store.apply(
        updateOf(scope, {
          ids: [foreign.learning_id],
          change: (found) => {
            seen = found.size
            return [{ ...foreign, user_id: scope.user_id ?? null, content: { stolen: true } }]
          }
        }),
        start
      )
      assert.deepStrictEqual([seen, applied.refused], [0, 1])
      assert.deepStrictEqual(yield* find(foreign), foreign)
    }))

  it.effect("a user with the longest id learns, in a namespace that has the id as well", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      // different characters of three bytes: a key of an index is compressed before it is measured
      const longest = Ids.UserId.make(
        String.fromCharCode(...Array.from({ length: 512 }, (_, place) => 0x4e00 + (place * 7919) % 20_000))
      )
      const scope = scopeOf({ user_id: longest, owner: longest, namespace: Learning.namespaceOf(longest) })
      const one = learning({ namespace: scope.namespace, user_id: longest })
      assert.strictEqual((yield* store.apply(updateOf(scope, { change: () => [one] }), start)).refused, 0)
      assert.deepStrictEqual(yield* relevant(scope), [one])
    }))

  it.effect("a namespace that is full takes no further learning, and its learnings still change", () =>
    Effect.gen(function*() {
      const store = yield* LearningStore
      const scope = scopeOf()
      const { namespace } = scope
      const all = Array.from({ length: namespaceLimit }, () => learning({ namespace }))
      yield* store.apply(updateOf(scope, { change: () => all }), start)
      const late = learning({ namespace })
      assert.strictEqual((yield* store.apply(updateOf(scope, { change: () => [late] }), start)).refused, 1)
      assert.isUndefined(yield* find(late))
      const changed = { ...(all[0] ?? late), content: { changed: true } }
      assert.strictEqual((yield* store.apply(updateOf(scope, { change: () => [changed] }), start)).refused, 0)
      const proposed = { ...late, metadata: { status: "proposed" } }
      assert.strictEqual((yield* store.apply(updateOf(scope, { change: () => [proposed] }), start)).refused, 0)
      assert.lengthOf(yield* relevant(scope), 100)
    }))

  it.effect("a run that was stored before the memory of its user was removed changes no learnings afterwards", () =>
    Effect.gen(function*() {
      const [learnings, memories, runs] = [yield* LearningStore, yield* MemoryStore, yield* RunStore]
      const [before, after] = [newRun(), newRun()]
      const user_id = userId()
      const apply = Effect.fnUntraced(function*(run: typeof before, scope = scopeOf({ user_id })) {
        const one = learning({ namespace: scope.namespace })
        const update = updateOf(scope, { root_run_id: run.run_id, change: () => [one] })
        const { isErased, isNew } = yield* learnings.apply(update, start)
        return [isNew, isErased, (yield* find(one)) !== undefined]
      })
      yield* runs.create(before)
      assert.deepStrictEqual(yield* apply(before), [true, false, true])
      yield* memories.removeOf(user_id)
      assert.deepStrictEqual(yield* apply(before), [false, true, false])
      assert.deepStrictEqual(yield* apply(before, scopeOf()), [true, false, true])
      assert.deepStrictEqual(yield* apply(before, scopeOf({ user_id: undefined })), [true, false, true])
      yield* runs.create(after)
      assert.deepStrictEqual(yield* apply(after), [true, false, true])
    }))

  it.effect("nothing is learned by a job that lost its lease", () =>
    Effect.gen(function*() {
      const [learnings, jobs] = [yield* LearningStore, yield* JobStore]
      const user_id = userId()
      const { kind, ...fields } = job({ user_id })
      yield* enqueue({ kind, ...fields })
      const [lease] = yield* acquire(kind)
      const apply = (key: string) =>
        Effect.map(learnings.apply(updateOf(scopeOf({ user_id }), { key, lease }), start), ({ isNew }) => isNew)
      assert.isTrue(yield* apply(newId("key")))
      yield* jobs.removeOf(user_id)
      assert.isFalse(yield* apply(newId("key")))
    }))

  it.effect("the keys of a session are removed with it", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* LearningStore, yield* SessionStore]
      const stored = session()
      yield* sessions.create(stored)
      const update = updateOf(scopeOf({ session_id: stored.session_id }))
      assert.isTrue((yield* store.apply(update, start)).isNew)
      yield* sessions.remove([stored.session_id], Owner.anyone)
      assert.isTrue((yield* store.apply(update, start)).isNew)
    }))
}
