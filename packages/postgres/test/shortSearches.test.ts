// Searches of all users for texts that no index finds. The embedded database has no index of texts.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { shortSearchLimit } from "@svc-runtime/features/memory/MemoryBudget"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import * as SqlMemoryStore from "@svc-runtime/features/memory/SqlMemoryStore"
import { everything, memory, newestFirst, store } from "@svc-runtime/features/memory/test/SampleMemories"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../src/Migrations.ts"

const layer = SqlMemoryStore.layer.pipe(Layer.provide(Migrations.layer), Layer.provideMerge(PgliteLayer.layer))

describe("a search of all users without an index", () => {
  it.effect("without an index a search of all users reads the newest memories only, and one of a user reads all", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const memories = yield* MemoryStore
      const user_id = userId()
      const [old, recent] = [
        memory({ user_id, memory: "zq zqq", updated_at: 1 }),
        memory({ user_id, memory: "zq", updated_at: 3 })
      ]
      yield* store(old, recent)
      yield* sql`
        insert into svc_memories (memory_id, memory, created_at, updated_at)
        select 'between-' || number, 'likes tea', 2, 2 from generate_series(1, ${shortSearchLimit}::int) as number`
      const found = (search: string, owner: Owner.Owner = Owner.anyone) =>
        Effect.map(
          memories.list({ owner, search }, everything, newestFirst),
          ({ memories, total }) => [memories.map(({ memory_id }) => memory_id), total]
        )
      for (const search of ["Q", "zq"]) assert.deepStrictEqual(yield* found(search), [[recent.memory_id], 1])
      for (const search of ["q z", "-", "zqq"]) assert.deepStrictEqual(yield* found(search), [[], 0])
      assert.deepStrictEqual(yield* found("zqq", Owner.user(user_id)), [[old.memory_id], 1])
      assert.deepStrictEqual(yield* found("zq", Owner.user(user_id)), [[recent.memory_id, old.memory_id], 2])
    }).pipe(Effect.provide(layer)))
})
