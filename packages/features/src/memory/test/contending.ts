// Changes of the memories of one user at the same time.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { defaults } from "@svc-runtime/engine/limits/StoreLimits"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Result } from "effect"
import { MemoryStore } from "../MemoryStore.ts"
import { allOf, create, everything, memory, source, store } from "./SampleMemories.ts"

const at = 1_700_000_900

export const contending = (it: Vitest.MethodsNonLive<MemoryStore>) => {
  it.effect("memories that are created at the same time do not pass the limit of their user", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const many = Array.from({ length: defaults.memories - 5 }, (_, index) => create(`fact ${index}`))
      yield* memories.apply(user_id, many, source(), at)
      const results = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => Effect.result(memories.create(memory({ user_id }))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter(Result.isSuccess).length, 5)
      assert.strictEqual((yield* allOf(user_id)).length, defaults.memories)
    }))

  it.effect("changes of every kind at the same time neither fail nor break the counts", () =>
    Effect.gen(function*() {
      const memories = yield* MemoryStore
      const user_id = userId()
      const owner = Owner.user(user_id)
      const kept = Array.from({ length: 20 }, () => memory({ user_id }))
      yield* store(...kept)
      yield* Effect.forEach(kept, ({ memory_id }, index) => {
        const content = { memory: `changed ${index}`, topics: [] }
        const other = kept[(index * 7) % kept.length]?.memory_id ?? memory_id
        const merging = Effect.flatMap(
          allOf(user_id),
          (all) => memories.replaceAll(user_id, all, memory({ user_id, memory: "merged" }))
        )
        return Effect.all([
          Effect.ignore(memories.replace(memory_id, Owner.anyone, content, at)),
          memories.apply(
            user_id,
            [
              create("new"),
              { _tag: "Update", memory_id: other, memory: "updated", topics: [] },
              { _tag: "Remove", memory_id }
            ],
            source(),
            at
          ),
          memories.create(memory({ user_id })),
          memories.remove([other], owner),
          ...(index % 5 === 0 ? [Effect.catchTag(merging, "MemoriesChanged", () => Effect.void)] : [])
        ], { concurrency: "unbounded" })
      }, { concurrency: "unbounded" })
      const all = yield* allOf(user_id)
      const { users } = yield* memories.statistics(owner, everything)
      assert.deepStrictEqual(users.map(({ memories }) => memories), [all.length])
    }))
}
