// Lists of memories, and the memories that a run is shown.
import { assert, type Vitest } from "@effect/vitest"
import type * as Memory from "@svc-runtime/domain/Memory"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { type MemoryFilter, MemoryStore } from "../MemoryStore.ts"
import { everything, memory, newestFirst, store } from "./SampleMemories.ts"

const ids = (memories: ReadonlyArray<Memory.Memory>) => memories.map(({ memory_id }) => memory_id)

export const listing = (it: Vitest.MethodsNonLive<MemoryStore>) => {
  it.effect("memories are listed by agent, team, all of the topics, and a part of the text in any case", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const [user_id, agent_id] = [userId(), newId("agent")]
      const owner = Owner.user(user_id)
      const [tea, cake, plan] = [
        memory({ user_id, memory: "likes GREEN tea, 100%", topics: ["food", "drinks"], agent_id, updated_at: 1 }),
        memory({ user_id, memory: "likes cake_a", topics: ["food"], team_id: "team", updated_at: 2 }),
        memory({ user_id, memory: "plans \\ a holiday", topics: null, updated_at: 3 })
      ]
      yield* store(tea, cake, plan, memory({ agent_id: "other" }))
      const found = (filter: Partial<MemoryFilter>) =>
        Effect.map(memories.list({ owner, ...filter }, everything, newestFirst), (page) => {
          assert.strictEqual(page.total, page.memories.length)
          return ids(page.memories)
        })
      assert.deepStrictEqual(yield* found({}), ids([plan, cake, tea]))
      assert.deepStrictEqual(yield* found({ owner: Owner.anyone, agent_id }), ids([tea]))
      assert.deepStrictEqual(yield* found({ team_id: "team" }), ids([cake]))
      assert.deepStrictEqual(yield* found({ topics: ["food"] }), ids([cake, tea]))
      assert.deepStrictEqual(yield* found({ topics: ["drinks", "food"] }), ids([tea]))
      assert.deepStrictEqual(yield* found({ topics: ["drink"] }), [])
      assert.deepStrictEqual(yield* found({ search: "green TEA" }), ids([tea]))
      assert.deepStrictEqual(yield* found({ search: "%" }), ids([tea]))
      assert.deepStrictEqual(yield* found({ search: "e_a" }), ids([cake]))
      assert.deepStrictEqual(yield* found({ search: "\\" }), ids([plan]))
      assert.deepStrictEqual(yield* found({ search: "likes", topics: ["food"], team_id: "team" }), ids([cake]))
    }))

  it.effect("a list is sorted by a column, and by creation if the column is unknown", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const [first, second, third] = [
        memory({ user_id, updated_at: 3, created_at: 1, agent_id: "b" }),
        memory({ user_id, updated_at: 1, created_at: 3, agent_id: "a" }),
        memory({ user_id, updated_at: 3, created_at: 2 })
      ]
      yield* store(first, second, third)
      const sorted = (by: string, order: "asc" | "desc") =>
        Effect.map(
          memories.list({ owner: Owner.user(user_id) }, everything, { by, order }),
          (page) => ids(page.memories)
        )
      assert.deepStrictEqual(yield* sorted("updated_at", "desc"), ids([third, first, second]))
      assert.deepStrictEqual(yield* sorted("updated_at", "asc"), ids([second, first, third]))
      assert.deepStrictEqual(yield* sorted("created_at", "asc"), ids([first, third, second]))
      assert.deepStrictEqual(yield* sorted("agent_id", "asc"), ids([second, first, third]))
      assert.deepStrictEqual(yield* sorted("memory; drop", "asc"), ids([first, second, third]))
    }))

  it.effect("pages have the real total, also past the last one", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      yield* store(...[1, 2, 3].map((updated_at) => memory({ user_id, updated_at, topics: ["t"] })))
      for (const filter of [{ owner: Owner.user(user_id) }, { owner: Owner.user(user_id), topics: ["t"] }]) {
        for (const [page, count] of [[0, 2], [1, 2], [2, 1], [3, 0], [1_000_000, 0]] as const) {
          const found = yield* memories.list(filter, { page, limit: 2 }, newestFirst)
          assert.deepStrictEqual([found.memories.length, found.total], [count, 3])
        }
        const whole = yield* memories.list(filter, { page: 1, limit: 10_000_000 }, newestFirst)
        assert.deepStrictEqual([whole.memories.length, whole.total], [3, 3])
      }
      const { total } = yield* memories.list({ owner: Owner.anyone }, { page: 1, limit: 1 }, newestFirst)
      yield* store(memory(), memory({ user_id: null }))
      const { total: more } = yield* memories.list({ owner: Owner.anyone }, { page: 1, limit: 1 }, newestFirst)
      assert.isAtLeast(more, total + 2)
    }))

  it.effect("pages far behind have the rows of the list, and counts of conditions reach behind the page", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const topic = newId("topic")
      const user_id = userId()
      const many = Array.from(
        { length: 1100 },
        (_, index) => memory({ user_id: index < 900 ? user_id : userId(), topics: [topic], updated_at: index })
      )
      yield* Effect.forEach(many, memories.create)
      const filter = { owner: Owner.anyone, topics: [topic] }
      const whole = yield* memories.list(filter, { page: 1, limit: 2000 }, newestFirst)
      assert.deepStrictEqual(ids(whole.memories), ids(many.toReversed()))
      const behind = yield* memories.list(filter, { page: 108, limit: 10 }, newestFirst)
      assert.deepStrictEqual(ids(behind.memories), ids(many.toReversed().slice(1070, 1080)))
      assert.strictEqual(behind.total, 1100)
      const first = yield* memories.list(filter, { page: 1, limit: 10 }, newestFirst)
      assert.include([1010, 1100], first.total)
      const own = yield* memories.list(
        { owner: Owner.user(user_id), topics: [topic] },
        { page: 1, limit: 10 },
        newestFirst
      )
      assert.strictEqual(own.total, 900)
    }))

  it.effect("a run is shown the newest memories of its user, as many as fit into count and bytes", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const texts = ["äää", "bbb", "ccc", "ddd"]
      yield* store(
        ...texts.map((text, index) => memory({ user_id, memory: text, updated_at: index, agent_id: `a${index % 2}` })),
        memory({ updated_at: 4_000_000_000 })
      )
      const shown = (maxCount: number, maxBytes: number, agent_id?: string) =>
        Effect.map(
          memories.relevant(user_id, { maxBytes, maxCount, agent_id }),
          (found) => found.map(({ memory }) => memory)
        )
      assert.deepStrictEqual(yield* shown(10, 1000), ["ddd", "ccc", "bbb", "äää"])
      assert.deepStrictEqual(yield* shown(2, 1000), ["ddd", "ccc"])
      assert.deepStrictEqual(yield* shown(10, 8), ["ddd", "ccc"])
      assert.deepStrictEqual(yield* shown(10, 14), ["ddd", "ccc", "bbb"])
      assert.deepStrictEqual(yield* shown(10, 2), [])
      assert.deepStrictEqual(yield* shown(10, 1000, "a0"), ["ccc", "äää"])
    }))
}
