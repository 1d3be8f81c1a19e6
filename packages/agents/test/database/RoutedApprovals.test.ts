// Approvals in two databases behind one store.
import { assert, describe, it } from "@effect/vitest"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Effect, Exit, Layer, Logger } from "effect"
import * as RoutedApprovals from "../../src/database/RoutedApprovals.ts"
import { type ServedDatabase, ServedDatabases } from "../../src/database/ServedDatabases.ts"

Tier.oneIn(3)

const engine = { isReplying: Effect.succeed(true), whileReplying: (statement) => statement } as RunEngine["Service"]
const [own, other] = [Ids.DatabaseId.make("own"), Ids.DatabaseId.make("other")]
const run = Run.Id.make("run")

/** The approvals `own-1` to `own-3` and `other-1` to `other-3`, all of one run id, the later the younger. */
const openedWith = Effect.fnUntraced(function*(
  more: (database: Database) => Effect.Effect<Database, StorageUnavailable>
) {
  let isAway = false
  const served = new Map<Ids.DatabaseId, ServedDatabase>()
  for (const [offset, id] of [own, other].entries()) {
    const database = yield* more(makeDatabase(id, yield* Layer.build(InMemory.layer)))
    for (const nth of [1, 2, 3]) {
      yield* database.approvals.create(
        approval({ id: Approval.Id.make(`${id}-${nth}`), run_id: run, created_at: nth * 10 + offset }),
        run
      )
    }
    served.set(id, { database, engine } as ServedDatabase)
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
  return { store, cut: () => (isAway = true), mend: () => (isAway = false) }
})

const opened = openedWith(Effect.succeed)

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

  it.effect("a list has what the databases that reply give", () =>
    Effect.gen(function*() {
      const { cut, store } = yield* opened
      cut()
      const page = yield* store.list({ owner: Owner.anyone }, { page: 1, limit: 10 }, 100)
      assert.deepStrictEqual(idsOf(page.approvals), ["own-3", "own-2", "own-1"])
    }))

  it.effect("An outage of a database is logged once when lists leave it out, and once when they have it again.", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) =>
        void logged.push(`${logLevel} ${String([message].flat()[0])}`)
      )
      const { cut, mend, store } = yield* opened
      const lists = Effect.andThen(
        store.list({ owner: Owner.anyone }, { page: 1, limit: 10 }, 100),
        store.countPending(Owner.anyone, 100)
      ).pipe(Effect.repeat({ times: 2 }), Effect.provide(Logger.layer([logger])))
      for (const outage of [1, 2]) {
        cut()
        yield* lists
        mend()
        yield* lists
        assert.strictEqual(logged.length, 2 * outage, logged.join("\n"))
      }
      assert.include(logged[0], "Warn The approvals of a database cannot be read")
      assert.include(logged[1], "Warn The approvals of a database can be read again")
    }))

  it.effect("A page far down the lists of several databases is right, and few of the rows before it are read.", () =>
    Effect.gen(function*() {
      let largest = 0
      const { store } = yield* openedWith(Effect.fnUntraced(function*(database) {
        const { approvals } = database
        for (let nth = 0; nth < 2000; nth++) {
          // most of the younger ones are in one of the databases
          const created_at = 1000 + (database.id === own ? nth : 3 * nth)
          const id = Approval.Id.make(`${database.id} ${String(nth).padStart(4, "0")}`)
          yield* approvals.create(approval({ id, run_id: run, created_at }), run)
        }
        const list: typeof approvals.list = (filter, page, at) =>
          Effect.tap(
            approvals.list(filter, page, at),
            (read) => Effect.sync(() => (largest = Math.max(largest, read.approvals.length)))
          )
        return { ...database, approvals: { ...approvals, list } }
      }))
      const page = (page: number, limit: number) => store.list({ owner: Owner.anyone }, { page, limit }, 100)
      const ages: Array<number> = []
      const seen = new Set<string>()
      for (let nth = 1; nth <= 41; nth++) {
        for (const { created_at, id } of (yield* page(nth, 100)).approvals) {
          ages.push(created_at)
          seen.add(id)
        }
      }
      assert.strictEqual(seen.size, 4006)
      assert.deepStrictEqual(ages, ages.toSorted((left, right) => right - left))
      assert.isAtMost(largest, 300)
      assert.strictEqual((yield* page(3901, 1)).approvals[0]?.created_at, ages[3900])
      assert.deepStrictEqual(yield* page(1_000_000, 100), { approvals: [], total: 4006 })
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

  it.effect("an approval is found in another database than the one that fails with a defect", () =>
    Effect.gen(function*() {
      const { store } = yield* openedWith((database) =>
        Effect.succeed(
          database.id === own
            ? { ...database, approvals: { ...database.approvals, get: () => Effect.die("damaged") } }
            : database
        )
      )
      const get = (id: string) => store.get(Approval.Id.make(id), Owner.anyone, 100)
      assert.strictEqual((yield* get("other-1")).id, "other-1")
      assert.isTrue(Exit.hasDies(yield* Effect.exit(get("own-1"))))
    }))

  it.effect("the approvals of a run are read from the database of the run only", () =>
    Effect.gen(function*() {
      const { store } = yield* opened
      assert.deepStrictEqual(idsOf(yield* store.listByRun(run, 100, other)), ["other-1", "other-2", "other-3"])
      assert.deepStrictEqual(idsOf(yield* store.listByRun(run, 100)), ["own-1", "own-2", "own-3"])
    }))
})
