// Approvals in two databases behind one store.
import { assert, describe, it } from "@effect/vitest"
import { Approval, Ids, Owner, Run, StorageUnavailable } from "@svc/domain"
import { approval } from "@svc/testing/suites/approvals/Approvals"
import { Effect, Layer } from "effect"
import { ApprovalStore } from "../../src/approval/ApprovalStore.ts"
import { makeDatabase } from "../../src/database/Database.ts"
import * as RoutedApprovals from "../../src/database/RoutedApprovals.ts"
import { type ServedDatabase, ServedDatabases } from "../../src/database/ServedDatabases.ts"
import * as Stores from "../../src/database/Stores.ts"

const [own, other] = [Ids.DatabaseId.make("own"), Ids.DatabaseId.make("other")]
const run = Run.Id.make("run")

/** The approvals `own-1` to `own-3` and `other-1` to `other-3`, all of one run id, the later the younger. */
const opened = Effect.gen(function*() {
  let isAway = false
  const served = new Map<Ids.DatabaseId, ServedDatabase>()
  for (const [offset, id] of [own, other].entries()) {
    const database = makeDatabase(id, yield* Layer.build(Stores.layerMemory))
    for (const nth of [1, 2, 3]) {
      yield* database.approvals.create(
        approval({ id: Approval.Id.make(`${id}-${nth}`), run_id: run, created_at: nth * 10 + offset }),
        run
      )
    }
    served.set(id, { database, engine: { isAble: Effect.succeed(true) } } as ServedDatabase)
  }
  const databases = ServedDatabases.of({
    ids: [own, other],
    own: served.get(own)!,
    get: (id) =>
      isAway && id === other
        ? Effect.fail(new StorageUnavailable({ cause: "away" }))
        : Effect.succeed(served.get(id)!),
    opened: () => [...served.values()]
  })
  const store = yield* ApprovalStore.pipe(
    Effect.provide(RoutedApprovals.layer.pipe(Layer.provide(Layer.succeed(ServedDatabases, databases))))
  )
  return { store, cut: () => (isAway = true) }
})

const idsOf = (found: ReadonlyArray<Approval.Approval>) => found.map(({ id }): string => id)

describe("RoutedApprovals", () => {
  it.effect("a page has the approvals of all databases, newest first, and the total of all", () =>
    Effect.gen(function*() {
      const { store } = yield* opened
      const page = (page: number) => store.list({ owner: Owner.anyone }, { page, limit: 4 }, 100)
      assert.deepStrictEqual(idsOf((yield* page(1)).approvals), ["other-3", "own-3", "other-2", "own-2"])
      assert.deepStrictEqual(idsOf((yield* page(2)).approvals), ["other-1", "own-1"])
      assert.strictEqual((yield* page(3)).approvals.length, 0)
      assert.strictEqual((yield* page(1)).total, 6)
      assert.strictEqual(yield* store.countPending(Owner.anyone, 100), 6)
    }))

  it.effect("a list has what the databases that answer give", () =>
    Effect.gen(function*() {
      const { cut, store } = yield* opened
      cut()
      const page = yield* store.list({ owner: Owner.anyone }, { page: 1, limit: 10 }, 100)
      assert.deepStrictEqual(idsOf(page.approvals), ["own-3", "own-2", "own-1"])
    }))

  it.effect("an approval that no database has is unavailable while one of them is away", () =>
    Effect.gen(function*() {
      const { cut, store } = yield* opened
      const get = (id: string) => store.get(Approval.Id.make(id), Owner.anyone, 100)
      assert.strictEqual((yield* get("other-1")).id, "other-1")
      assert.strictEqual((yield* Effect.flip(get("none")))._tag, "ApprovalNotFound")
      cut()
      assert.strictEqual((yield* get("own-1")).id, "own-1")
      assert.strictEqual((yield* Effect.flip(get("other-1")))._tag, "StorageUnavailable")
    }))

  it.effect("the approvals of a run are read from the database of the run only", () =>
    Effect.gen(function*() {
      const { store } = yield* opened
      assert.deepStrictEqual(idsOf(yield* store.listByRun(run, 100, other)), ["other-1", "other-2", "other-3"])
      assert.deepStrictEqual(idsOf(yield* store.listByRun(run, 100)), ["own-1", "own-2", "own-3"])
    }))
})
