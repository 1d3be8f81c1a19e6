// Changes of several memories of one user at once.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { defaults } from "@svc-runtime/engine/limits/StoreLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { acquire, enqueue, job } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { ending, newId, newRun, runId, session, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Option } from "effect"
import { MemoryStore } from "../MemoryStore.ts"
import { allOf, create, memory, memoryId, source, store, textsOf } from "./SampleMemories.ts"

const at = 1_700_000_900

export const applying = (it: Vitest.MethodsNonLive<JobStore | MemoryStore | RunStore | SessionStore>) => {
  it.effect("the changes of an extraction are applied together, and say where they come from", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const [changed, removed] = [memory({ user_id }), memory({ user_id })]
      yield* store(changed, removed)
      const from = source({ run_id: runId(), session_id: null, agent_id: "agent", team_id: "team" })
      const added = create("plays \u{1f3bb}", ["music"])
      const applied = yield* memories.apply(
        user_id,
        [
          added,
          { _tag: "Update", memory_id: changed.memory_id, memory: "likes coffee", topics: ["drinks"] },
          { _tag: "Remove", memory_id: removed.memory_id }
        ],
        from,
        at
      )
      const { key: _, root_run_id: __, ...fields } = from
      const times = { created_at: at, updated_at: at }
      const expected = [
        { memory_id: added.memory_id, memory: "plays \u{1f3bb}", topics: ["music"], user_id, ...fields, ...times },
        { ...changed, memory: "likes coffee", topics: ["drinks"], updated_at: at }
      ]
      assert.deepStrictEqual(applied, { isNew: true, isErased: false, refused: 0, memories: expected })
      assert.deepStrictEqual(yield* allOf(user_id), expected)
    }))

  it.effect("changes under one key are applied once, also if they are applied at the same time", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const [user_id, from] = [userId(), source()]
      const applied = yield* Effect.forEach(
        [1, 2, 3, 4],
        () => memories.apply(user_id, [create("likes tea")], from, at),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(applied.filter(({ isNew }) => isNew).length, 1)
      const again = yield* memories.apply(user_id, [create("likes tea")], from, at)
      assert.isFalse(again.isNew)
      assert.deepStrictEqual(again.memories, yield* allOf(user_id))
      assert.deepStrictEqual(yield* textsOf(user_id), ["likes tea"])
    }))

  it.effect("a copy of a run from before a removal, and a run that replaces it, apply no changes", () =>
    Effect.gen(function*() {
      const [memories, runs] = [yield* MemoryStore, yield* RunStore]
      const user_id = userId()
      const before = newRun({ user_id })
      yield* runs.create(before)
      yield* runs.finish(ending(before, { run: { status: "PAUSED" } }))
      yield* memories.removeOf(user_id)
      const copy = sessionId()
      yield* runs.fork({ source: before.session_id, session_id: copy, filter: { owner: Owner.anyone }, created_at: at })
      const [copied] = Option.getOrThrow(yield* runs.list(copy, { owner: Owner.anyone }))
      const replacing = newRun({ user_id, session_id: before.session_id, replaces: before.run_id })
      yield* runs.create(replacing)
      for (const root_run_id of [copied?.run_id ?? null, replacing.run_id]) {
        const { isErased } = yield* memories.apply(user_id, [create("likes tea")], { ...source(), root_run_id }, at)
        assert.isTrue(isErased)
      }
      const after = newRun({ user_id, session_id: copy })
      yield* runs.create(after)
      const applied = yield* memories.apply(
        user_id,
        [create("likes tea")],
        { ...source(), root_run_id: after.run_id },
        at
      )
      assert.isTrue(applied.isNew)
    }))

  it.effect("a run that was stored before the memories of its user were removed applies no changes afterwards, nor do runs in it", () =>
    Effect.gen(function*() {
      const [memories, runs, sessions] = [yield* MemoryStore, yield* RunStore, yield* SessionStore]
      const [user_id, other] = [userId(), userId()]
      const [before, after, gone] = [newRun(), newRun(), newRun()]
      const apply = (user: typeof user_id, { run_id }: typeof before, text: string, from = source()) =>
        Effect.map(
          memories.apply(user, [create(text)], { ...from, run_id: runId(), root_run_id: run_id }, at),
          ({ isErased, isNew }) => [isNew, isErased]
        )
      const used = source()
      yield* Effect.forEach([before, gone], runs.create)
      assert.deepStrictEqual(yield* apply(user_id, before, "likes tea", used), [true, false])
      assert.strictEqual(yield* memories.removeOf(user_id), 1)
      assert.deepStrictEqual(yield* apply(user_id, before, "likes tea"), [false, true])
      assert.deepStrictEqual(yield* apply(user_id, before, "likes tea", used), [false, true])
      yield* sessions.remove([gone.session_id], Owner.anyone)
      assert.deepStrictEqual(yield* apply(user_id, gone, "likes tea"), [false, true])
      assert.deepStrictEqual(yield* textsOf(user_id), [])
      assert.deepStrictEqual(yield* apply(other, before, "likes coffee"), [true, false])
      yield* runs.create(after)
      assert.deepStrictEqual(yield* apply(user_id, after, "likes milk"), [true, false])
      assert.deepStrictEqual(yield* textsOf(user_id), ["likes milk"])
    }))

  it.effect("changes of a user do not touch memories of others, whatever ids they name", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const [mine, other] = [memory(), memory()]
      yield* store(mine, other)
      const { refused } = yield* memories.apply(
        mine.user_id!,
        [
          { _tag: "Update", memory_id: other.memory_id, memory: "taken", topics: [] },
          { _tag: "Remove", memory_id: memoryId() }
        ],
        source(),
        at
      )
      assert.strictEqual(refused, 0)
      yield* memories.apply(mine.user_id!, [{ _tag: "Remove", memory_id: other.memory_id }], source(), at)
      yield* memories.apply(mine.user_id!, [{ ...create("taken"), memory_id: other.memory_id }], source(), at)
      assert.deepStrictEqual([yield* allOf(mine.user_id), yield* allOf(other.user_id)], [[mine], [other]])
    }))

  it.effect("the last change of a memory counts, and no changes use up their key", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const mine = memory()
      const from = source()
      yield* store(mine)
      const { memory_id } = mine
      yield* memories.apply(
        mine.user_id!,
        [
          { _tag: "Remove", memory_id },
          { _tag: "Update", memory_id, memory: "first", topics: [] },
          { _tag: "Update", memory_id, memory: "second", topics: [] }
        ],
        source(),
        at
      )
      assert.deepStrictEqual(yield* textsOf(mine.user_id), ["second"])
      assert.isTrue((yield* memories.apply(mine.user_id!, [], from, at)).isNew)
      assert.isFalse((yield* memories.apply(mine.user_id!, [create("late")], from, at)).isNew)
    }))

  it.effect("new memories above the limit of a user are refused and counted, and the others are stored", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const many = Array.from({ length: defaults.memories - 1 }, (_, index) => create(`fact ${index}`))
      assert.strictEqual((yield* memories.apply(user_id, many, source(), at)).refused, 0)
      const more = ["one", "two", "three"].map((text) => create(text))
      const removal = { _tag: "Remove", memory_id: many[0]!.memory_id } as const
      const { isNew, refused } = yield* memories.apply(user_id, [...more, removal], source(), at)
      assert.deepStrictEqual([isNew, refused], [true, 1])
      const texts = yield* textsOf(user_id)
      assert.strictEqual(texts.length, defaults.memories)
      assert.includeMembers([...texts], ["one", "two"])
      const error = yield* Effect.flip(memories.create(memory({ user_id })))
      assert.strictEqual(error._tag, "TooManyMemories")
      assert.include(error.message, "MAX_MEMORIES_PER_USER is 1000")
      yield* memories.create(memory())
    }))

  it.effect("nothing is applied for a job that lost its lease", () =>
    Effect.gen(function*() {
      const [memories, jobs] = [yield* MemoryStore, yield* JobStore]
      const user_id = userId()
      const { kind, ...fields } = job({ user_id })
      yield* enqueue({ kind, ...fields })
      const [lease] = yield* acquire(kind)
      assert.isTrue((yield* memories.apply(user_id, [create("in time")], source({ lease }), at)).isNew)
      yield* jobs.removeOf(user_id)
      assert.isFalse((yield* memories.apply(user_id, [create("late")], source({ lease }), at)).isNew)
      assert.deepStrictEqual(yield* textsOf(user_id), ["in time"])
    }))

  it.effect("the memories of a removed session stay, and its keys can be used again", () =>
    Effect.gen(function*() {
      const [memories, sessions] = [yield* MemoryStore, yield* SessionStore]
      const { session_id, ...fields } = session()
      const user_id = userId()
      yield* sessions.create({ session_id, ...fields })
      const from = source({ session_id })
      yield* memories.apply(user_id, [create("first")], from, at)
      yield* sessions.remove([session_id], Owner.anyone)
      assert.deepStrictEqual(yield* textsOf(user_id), ["first"])
      assert.isTrue((yield* memories.apply(user_id, [create("second")], from, at)).isNew)
    }))

  it.effect("all memories of a user are replaced by one, and those of others stay", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const [user_id, other] = [userId(), memory()]
      yield* store(memory({ user_id, topics: null }), memory({ user_id, topics: ["a"] }), other)
      const merged = memory({ user_id, memory: "likes tea and cake", topics: ["a"] })
      yield* memories.replaceAll(user_id, yield* allOf(user_id), merged)
      assert.deepStrictEqual(yield* allOf(user_id), [merged])
      assert.deepStrictEqual(yield* allOf(other.user_id), [other])
      const statistics = yield* memories.statistics(Owner.user(user_id), { page: 1, limit: 2 })
      assert.deepStrictEqual(statistics.users.map(({ memories }) => memories), [1])
    }))

  it.effect("nothing is replaced if a memory was added, changed or removed in the meantime", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId(newId("user"))
      const [first, second] = [memory({ user_id }), memory({ user_id })]
      yield* store(first, second)
      const merged = memory({ user_id, memory: "merged" })
      const refused = Effect.fnUntraced(function*(expected: Parameters<typeof memories.replaceAll>[1]) {
        const before = yield* allOf(user_id)
        const error = yield* Effect.flip(memories.replaceAll(user_id, expected, merged))
        assert.strictEqual(error._tag, "MemoriesChanged")
        assert.deepStrictEqual(yield* allOf(user_id), before)
      })
      yield* refused([first])
      yield* refused([first, second, memory()])
      yield* refused([first, { ...second, memory: "other" }])
      yield* refused([first, { ...second, topics: ["other"] }])
      yield* refused([first, { ...second, updated_at: 1 }])
      yield* refused([first, memory()])
    }))

  it.effect("memories beside the expected ones stay, if their number is the expected one", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const [first, second, merged] = [memory({ user_id }), memory({ user_id }), memory({ user_id, updated_at: 9 })]
      yield* store(first, second)
      const error = yield* Effect.flip(memories.replaceAll(user_id, [first], merged, 2))
      assert.strictEqual(error._tag, "MemoriesChanged")
      yield* memories.replaceAll(user_id, [first], merged, 1)
      assert.deepStrictEqual(yield* allOf(user_id), [second, merged])
    }))
}
