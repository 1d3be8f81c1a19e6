import { assert, layer } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlStores from "../../SqlStores.ts"
import * as Learning from "../Learning.ts"
import { maxCountedBeyond } from "../LearningFilter.ts"
import { LearningStore } from "../LearningStore.ts"
import { newestFirst } from "./Learnings.ts"

layer(SqlStores.layer.pipe(Layer.provideMerge(PgliteLayer.layer)), { excludeTestServices: true })(
  "a list of many learnings",
  (it) => {
    it.effect("the total counts as many behind the page as the limit, and all of them past the end", () =>
      Effect.gen(function*() {
        const [sql, store] = [yield* SqlClient.SqlClient, yield* LearningStore]
        const all = maxCountedBeyond + 50
        yield* sql`
          insert into svc_learnings (learning_id, learning_type, namespace, user_id, content, created_at, updated_at)
          select 'many-' || n, 'many', 'many', 'many', '{}', n, n from generate_series(1, ${all}::int) as n`
        const total = (filter: object, page: number, limit = 10) =>
          Effect.map(
            store.list(
              { owner: Owner.anyone, includesShared: true, fields: {}, ...filter },
              { page, limit },
              newestFirst
            ),
            (found) => found.total
          )
        const inNamespace = { fields: { namespace: "many" } }
        assert.strictEqual(yield* total(inNamespace, 1), maxCountedBeyond + 10)
        assert.strictEqual(yield* total(inNamespace, 5), all)
        assert.strictEqual(yield* total(inNamespace, 999), all)
        assert.strictEqual(yield* total({ owner: Owner.user(Ids.UserId.make("many")), includesShared: false }, 1), all)
      }))

    it.effect("a change of a learning that cannot be read fails, and is not stored", () =>
      Effect.gen(function*() {
        const [sql, store] = [yield* SqlClient.SqlClient, yield* LearningStore]
        yield* sql`
          insert into svc_learnings (learning_id, learning_type, namespace, content, created_at, updated_at)
          values ('damaged', 'damaged', 'damaged', '3', 1, 1)`
        const patch = { metadata: { a: 1 }, updated_at: 2 }
        yield* Effect.exit(store.update(Learning.Id.make("damaged"), Owner.anyone, patch))
        const [stored] = yield* sql`select updated_at::int from svc_learnings where learning_id = 'damaged'`
        assert.deepStrictEqual({ ...stored }, { updated_at: 1 })
      }))
  }
)
