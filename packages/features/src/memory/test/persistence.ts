// How memories are stored, read, replaced and removed, each within what its owner covers.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, runId, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { MemoryStore } from "../MemoryStore.ts"
import { allOf, everything, memory, memoryId, newestFirst, store, textsOf } from "./SampleMemories.ts"

export const persistence = (it: Vitest.MethodsNonLive<MemoryStore>) => {
  it.effect("a memory is read as it was stored", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const full = memory({
        memory: "\"Käse\" 😀\n%_\\",
        topics: ["food", "a,b", "\"x\""],
        agent_id: "agent",
        team_id: "team",
        run_id: runId(),
        session_id: sessionId(),
        updated_at: 1_700_000_100
      })
      const bare = memory({ topics: null })
      yield* store(full, bare)
      assert.deepStrictEqual(yield* memories.get(full.memory_id, Owner.anyone), full)
      assert.deepStrictEqual(yield* memories.get(bare.memory_id, Owner.user(bare.user_id!)), bare)
    }))

  it.effect("a used id is refused, whatever its owner, and the stored memory stays", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const first = memory()
      yield* store(first)
      const error = yield* Effect.flip(memories.create(memory({ memory_id: first.memory_id, memory: "other" })))
      assert.strictEqual(error._tag, "MemoryExists")
      assert.deepStrictEqual(yield* memories.get(first.memory_id, Owner.anyone), first)
    }))

  it.effect("no method reads or changes memories that its owner does not cover", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const mine = memory({ topics: ["secret"] })
      yield* store(mine)
      for (const owner of [Owner.user(userId()), Owner.none]) {
        const content = { memory: "changed", topics: [] }
        assert.strictEqual((yield* Effect.flip(memories.get(mine.memory_id, owner)))._tag, "MemoryNotFound")
        const refused = yield* Effect.flip(memories.replace(mine.memory_id, owner, content, 1_800_000_000))
        assert.strictEqual(refused._tag, "MemoryNotFound")
        yield* memories.remove([mine.memory_id], owner)
        const empty = { memories: [], total: 0 }
        assert.deepStrictEqual(yield* memories.list({ owner }, everything, newestFirst), empty)
        assert.deepStrictEqual(yield* memories.topics(owner), [])
        assert.deepStrictEqual(yield* memories.statistics(owner, everything), { users: [], total: 0 })
      }
      assert.deepStrictEqual(yield* allOf(mine.user_id), [mine])
    }))

  it.effect("a memory without an owner is covered only by an owner who covers all", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const ownerless = memory({ user_id: null })
      yield* store(ownerless)
      assert.deepStrictEqual(yield* memories.get(ownerless.memory_id, Owner.anyone), ownerless)
      const error = yield* Effect.flip(memories.get(ownerless.memory_id, Owner.user(userId())))
      assert.strictEqual(error._tag, "MemoryNotFound")
    }))

  it.effect("a replacement changes text, topics and time, and keeps the owner and the source", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const first = memory({ topics: ["a"], agent_id: "agent", run_id: runId() })
      yield* store(first)
      const content = { memory: "likes coffee", topics: [] }
      const replaced = yield* memories.replace(first.memory_id, Owner.anyone, content, 1_700_000_500)
      assert.deepStrictEqual(replaced, { ...first, ...content, updated_at: 1_700_000_500 })
      assert.deepStrictEqual(yield* allOf(first.user_id), [replaced])
      const error = yield* Effect.flip(memories.replace(memoryId(), Owner.anyone, content, 1))
      assert.strictEqual(error._tag, "MemoryNotFound")
    }))

  it.effect("memories are removed by their ids, and unknown ids are ignored", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const [first, second, kept] = [memory({ user_id }), memory({ user_id }), memory({ user_id })]
      yield* store(first, second, kept)
      yield* memories.remove([first.memory_id, memoryId(), second.memory_id], Owner.user(user_id))
      assert.deepStrictEqual(yield* allOf(user_id), [kept])
    }))

  it.effect("topics are given once each, and sorted", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      yield* store(
        memory({ user_id, topics: ["food", "drinks"] }),
        memory({ user_id, topics: ["drinks", "a"] }),
        memory({ user_id, topics: null }),
        memory({ topics: ["of another"] })
      )
      assert.deepStrictEqual(yield* memories.topics(Owner.user(user_id)), ["a", "drinks", "food"])
      assert.include(yield* memories.topics(Owner.anyone), "of another")
    }))

  it.effect("statistics count the memories of each user, and follow every change", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const statistics = Effect.suspend(() => memories.statistics(Owner.user(user_id), everything))
      const [old, recent] = [memory({ user_id, updated_at: 10 }), memory({ user_id, updated_at: 20 })]
      yield* store(old, recent, memory({ user_id: null }))
      const counted = (count: number, updated_at: number) => ({
        users: [{ user_id, memories: count, updated_at }],
        total: 1
      })
      assert.deepStrictEqual(yield* statistics, counted(2, 20))
      yield* memories.replace(old.memory_id, Owner.anyone, { memory: "x", topics: [] }, 30)
      assert.deepStrictEqual(yield* statistics, counted(2, 30))
      yield* memories.remove([old.memory_id], Owner.anyone)
      assert.deepStrictEqual(yield* statistics, counted(1, 20))
      yield* memories.remove([recent.memory_id], Owner.anyone)
      assert.deepStrictEqual(yield* statistics, { users: [], total: 0 })
    }))

  it.effect("statistics show the user with the last change first, and the real total past the last page", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const [first, second] = [userId(), userId()]
      yield* store(
        memory({ user_id: first, updated_at: 4_000_000_002 }),
        memory({ user_id: second, updated_at: 4_000_000_003 })
      )
      const { users } = yield* memories.statistics(Owner.anyone, { page: 1, limit: 2 })
      assert.deepStrictEqual(users.map(({ user_id }) => user_id), [second, first])
      const past = yield* memories.statistics(Owner.anyone, { page: 1_000_000, limit: 2 })
      assert.deepStrictEqual(past.users, [])
      assert.isAtLeast(past.total, 2)
    }))

  it.effect("all memories of a user are removed, and those of others stay", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const [mine, other] = [userId(newId("mine")), memory()]
      yield* store(memory({ user_id: mine }), memory({ user_id: mine }), other)
      assert.strictEqual(yield* memories.removeOf(mine), 2)
      assert.strictEqual(yield* memories.removeOf(mine), 0)
      assert.deepStrictEqual(yield* textsOf(mine), [])
      assert.deepStrictEqual(yield* memories.statistics(Owner.user(mine), everything), { users: [], total: 0 })
      assert.deepStrictEqual(yield* allOf(other.user_id), [other])
    }))
}
