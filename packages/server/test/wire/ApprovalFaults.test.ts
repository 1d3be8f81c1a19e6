// What can go wrong while runs are resumed after their approvals: every statement fails, nodes do it at once, and there
// are very many of them.
import { assert, describe, it } from "@effect/vitest"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { approval, approved } from "@svc-runtime/test-support/suites/approvals/Approvals"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { at, column, get, list, post, second, serve } from "../Wire.ts"
import { begin, ending, everything, find, kinds, payer, waiting } from "./PayingRuns.ts"

Tier.oneIn(6)

type Statement = "snapshot" | "pollEvents" | "resume" | "listByRun" | "listPendingResumes" | "markResumed"

const statements: ReadonlyArray<Statement> = [
  "snapshot",
  "pollEvents",
  "resume",
  "listByRun",
  "listPendingResumes",
  "markResumed"
]

/** Statements of the background loop alone, and the one that a request needs before it decides: it would be 503. */
const inBackground: ReadonlySet<Statement> = new Set(["pollEvents", "listPendingResumes", "snapshot"])

/** A statement that fails once: before it is executed, or after, so that its outcome is unknown. */
const failingOnce = (fault: { armed: boolean; readonly name: Statement; readonly isLost: boolean }) => {
  const unavailable = new StorageUnavailable({ cause: "away" })
  const around = <S extends object>(store: S): S => {
    const original: unknown = Reflect.get(store, fault.name)
    if (typeof original !== "function") return store
    const failing = (...input: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        const statement = original(...input) as Effect.Effect<unknown, unknown>
        if (!fault.armed) return statement
        fault.armed = false
        return fault.isLost ? Effect.andThen(statement, Effect.fail(unavailable)) : Effect.fail(unavailable)
      })
    return { ...store, [fault.name]: failing }
  }
  return (database: Database): Database => ({
    ...database,
    runs: around<RunStore["Service"]>(database.runs),
    approvals: around<ApprovalStore["Service"]>(database.approvals)
  })
}

const shared = Effect.map(Layer.build(Layer.fresh(TestDatabase.layer)), (stores) => makeDatabase("main-db", stores))

const start = Effect.fnUntraced(function*(kind: string, database: Database) {
  const [path, parts] = kinds[kind]!
  const { agent, paid } = yield* payer
  const options = { ...yield* parts(agent), database: () => database }
  const server = yield* serve(options)
  assert.strictEqual(at((yield* begin(server, path)).json, "status"), "PAUSED")
  const [id] = column(list((yield* get(server, "/approvals")).json, "data"), "id")
  return { id: Approval.Id.make(String(id)), options, paid, path, server }
})

describe.each(["an agent", "a team", "a workflow"])("A failing statement while %s is resumed", (kind) => {
  const faults = statements.flatMap((name) => [{ name, isLost: false }, { name, isLost: true }])

  it.effect.each(faults)(
    "The run is resumed once when $name fails (executed: $isLost)",
    (each) =>
      Effect.gen(function*() {
        const fault = { ...each, armed: false }
        const database = failingOnce(fault)(yield* shared)
        const { id, paid, path, server } = yield* start(kind, database)
        fault.armed = true
        if (inBackground.has(each.name)) yield* database.approvals.resolve(id, Owner.anyone, approved, second)
        else yield* post(server, `/approvals/${encodeURIComponent(id)}/resolve`, { status: "approved" })
        assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual([paid, fault.armed], [["paid"], false])
        assert.deepStrictEqual(yield* database.approvals.listPendingResumes(everything), [])
      })
  )

  it.effect("Two nodes that resume the run at the same time execute it once", () =>
    Effect.gen(function*() {
      const database = yield* shared
      const { id, options, paid, path, server } = yield* start(kind, database)
      const other = yield* serve(options)
      assert.strictEqual((yield* get(other, "/health")).status, 200)
      yield* database.approvals.resolve(id, Owner.anyone, approved, second)
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(paid, ["paid"])
      assert.deepStrictEqual(yield* database.approvals.listPendingResumes(everything), [])
    }))
})

describe("Ten thousand resolved approvals at the start of a node", () => {
  it.effect("The approvals are read in pages, with a fixed number of statements for each page", () =>
    Effect.gen(function*() {
      const database = yield* shared
      for (let n = 0; n < 10_000; n++) {
        const one = approval({ id: Approval.Id.make(`old-${n}`), run_id: Run.Id.make(`old-${n}`) })
        yield* database.approvals.create(one, one.run_id)
        yield* database.approvals.resolve(one.id, Owner.anyone, approved, second)
      }
      const counts = { listed: 0, polled: 0, marked: 0, snapshots: 0, largest: 0 }
      const { approvals, runs } = database
      const counted: Database = {
        ...database,
        runs: {
          ...runs,
          pollEvents: (polled, limit) => {
            counts.polled++
            counts.largest = Math.max(counts.largest, polled.length)
            return runs.pollEvents(polled, limit)
          },
          snapshot: (...input) => (counts.snapshots++, runs.snapshot(...input))
        },
        approvals: {
          ...approvals,
          listPendingResumes: (range) => (counts.listed++, approvals.listPendingResumes(range)),
          markResumed: (ids) => (counts.marked++, approvals.markResumed(ids))
        }
      }
      const server = yield* serve({ database: () => counted })
      assert.strictEqual((yield* get(server, "/health")).status, 200)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* approvals.listPendingResumes(everything), [])
      assert.isBelow(counts.listed, 120)
      assert.deepStrictEqual({ ...counts, listed: 0 }, {
        listed: 0,
        polled: 100,
        marked: 100,
        snapshots: 0,
        largest: 100
      })
    }))

  it.effect("At most 32 runs are loaded at once, and one whose load hangs does not stop the others", () =>
    Effect.gen(function*() {
      const { agent, paid } = yield* payer
      const database = yield* shared
      const loads = { now: 0, most: 0 }
      const hanging = Run.Id.make("r")
      const { runs } = database
      const counted: Database = {
        ...database,
        runs: {
          ...runs,
          pollEvents: (polled) =>
            Effect.succeed(polled.map(({ run_id }) => ({ run_id, status: "PAUSED", events: [], hasMore: false }))),
          snapshot: (session, run, filter) =>
            Effect.suspend(() => {
              loads.most = Math.max(loads.most, ++loads.now)
              const load = run === hanging ? Effect.never : Effect.andThen(Effect.sleep("1 second"), Effect.succeedNone)
              return Effect.ensuring(
                Effect.andThen(load, runs.snapshot(session, run, filter)),
                Effect.sync(() => loads.now--)
              )
            })
        }
      }
      for (const name of ["r", ...Array.from({ length: 200 }, (_, n) => `other-${n}`)]) {
        const one = approval({
          id: Approval.Id.make(name),
          run_id: Run.Id.make(name),
          session_id: Session.Id.make(name)
        })
        yield* database.approvals.create(one, one.run_id)
        yield* database.approvals.resolve(one.id, Owner.anyone, approved, second)
      }
      const server = yield* serve({ agents: [agent], database: () => counted })
      assert.strictEqual((yield* get(server, "/health")).status, 200)
      for (let n = 0; n < 30; n++) yield* TestClock.adjust("1 second")
      const left = yield* database.approvals.listPendingResumes({ after: undefined, limit: 1000 })
      assert.deepStrictEqual([left.map(({ id }) => id), loads.most, paid], [[Approval.Id.make("r")], 32, []])
    }))
})

describe("A run that pauses again for a resolved approval", () => {
  it.effect("The run is resumed although its resume was marked before", () =>
    Effect.gen(function*() {
      const { id, paid, path, server, store } = yield* waiting("an agent")
      yield* store.resolve(id, Owner.anyone, approved, second)
      yield* store.markResumed([id])
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(at((yield* find(server, path)).json, "status"), "PAUSED")
      const stored = yield* store.get(id, Owner.anyone, second)
      yield* store.create(stored, stored.run_id)
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      assert.deepStrictEqual(paid, ["paid"])
    }))
})
