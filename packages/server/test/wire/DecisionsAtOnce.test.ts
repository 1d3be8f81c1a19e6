// Two callers decide on the same call at the same moment, one by its approval and one by continuing its run: one of
// them wins, the other one gets a conflict, and what is executed is what the winner has decided.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import { Deferred, Effect, Fiber } from "effect"
import { call } from "../authorization/Closed.ts"
import { at, failed } from "../Wire.ts"
import { resolve, served } from "./Approving.ts"
import { asking, continueRun, session, tools } from "./Mailing.ts"

/** The first one that comes here waits. */
const makeGate = Effect.gen(function*() {
  const [reached, opened] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  return {
    pass: Effect.suspend(() =>
      Effect.andThen(Deferred.succeed(reached, undefined), (isFirst) => isFirst ? Deferred.await(opened) : Effect.void)
    ),
    reached: Deferred.await(reached),
    open: Deferred.succeed(opened, undefined)
  }
})

/** A service whose statements about a run that waits for an approval are held. */
const held = Effect.gen(function*() {
  const [approved, resuming, resumed] = [yield* makeGate, yield* makeGate, yield* makeGate]
  const database = ({ approvals, runs, ...database }: Database): Database => ({
    ...database,
    approvals: { ...approvals, resolve: (...given) => Effect.tap(approvals.resolve(...given), () => approved.pass) },
    runs: {
      ...runs,
      resume: (resumption) =>
        resuming.pass.pipe(Effect.andThen(runs.resume(resumption)), Effect.tap(() => resumed.pass))
    }
  })
  const service = yield* served({}, asking, { database })
  const { ann, boss, id, server } = service
  const approval = Effect.map(call(server, { path: `/approvals/${encodeURIComponent(id)}` }, boss), ({ json }) => json)
  const ended = Effect.map(continueRun(server, session, ann), ({ json }) => at(json, "status"))
  return { ...service, approval, approved, ended, resumed, resuming }
})

const edited = { to: "eve@example.com", text: "edited" }
const decision = (fields: object) => tools({ tool_call_id: "call_1", ...fields })

describe("an approval and a request that continues its run, at the same moment", () => {
  it.effect("the request wins that has resumed the run: the approval has its decision, and the other caller gets 409", () =>
    Effect.gen(function*() {
      const { approval, approved, boss, ended, id, resumed, resuming, sent, server } = yield* held
      for (const gate of [approved, resuming]) yield* gate.open
      const body = decision({ confirmed: true, tool_args: edited })
      const continued = yield* Effect.forkChild(continueRun(server, body, boss))
      yield* resumed.reached
      failed(yield* resolve(server, id, { status: "rejected" }, boss), 409, "CONFLICT", /already 'approved'/)
      yield* resumed.open
      assert.strictEqual(at((yield* Fiber.join(continued)).json, "status"), "COMPLETED")
      assert.deepStrictEqual(sent, [edited])
      assert.deepInclude(yield* approval, { status: "approved", resolved_by: "boss", run_status: "COMPLETED" })
      assert.strictEqual(yield* ended, "COMPLETED")
    }))

  it.effect("the approval wins before its run is resumed, over a request that was read before it", () =>
    Effect.gen(function*() {
      const { approval, approved, boss, ended, id, resumed, resuming, sent, server } = yield* held
      yield* resumed.open
      const continued = yield* Effect.forkChild(continueRun(server, decision({ confirmed: true }), boss))
      yield* resuming.reached
      const rejected = yield* Effect.forkChild(resolve(server, id, { status: "rejected" }, boss))
      yield* approved.reached
      yield* resuming.open
      failed(yield* Fiber.join(continued), 409, "CONFLICT", /has been rejected/)
      yield* approved.open
      assert.strictEqual((yield* Fiber.join(rejected)).status, 200)
      assert.strictEqual(yield* ended, "COMPLETED")
      assert.deepStrictEqual(sent, [])
      assert.deepInclude(yield* approval, { status: "rejected", run_status: "COMPLETED" })
    }))

  it.effect("the approval wins before its run is resumed, over a request that comes after it", () =>
    Effect.gen(function*() {
      const { approved, boss, ended, id, resumed, resuming, sent, server } = yield* held
      for (const gate of [resumed, resuming]) yield* gate.open
      const rejected = yield* Effect.forkChild(resolve(server, id, { status: "rejected" }, boss))
      yield* approved.reached
      const continued = yield* continueRun(server, decision({ confirmed: true }), boss)
      failed(continued, 409, "CONFLICT", /has been rejected/)
      yield* approved.open
      assert.strictEqual((yield* Fiber.join(rejected)).status, 200)
      assert.strictEqual(yield* ended, "COMPLETED")
      assert.deepStrictEqual(sent, [])
    }))
})
