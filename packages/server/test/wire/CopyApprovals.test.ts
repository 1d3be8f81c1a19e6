// Approvals of copies whose request was cut off before they were made: a job makes them later.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call } from "../authorization/Closed.ts"
import { at, failed, list } from "../Wire.ts"
import { resolve, served } from "./Approving.ts"
import { args, asking } from "./Mailing.ts"

describe("a copy whose request was cut off before it had an approval", () => {
  /** A service whose approvals cannot be stored while the database is away. */
  const cut = Effect.gen(function*() {
    const away = { is: false }
    const failing = (approvals: ApprovalStore["Service"]): ApprovalStore["Service"] => ({
      ...approvals,
      create: (...given) =>
        Effect.suspend(() =>
          away.is ? Effect.fail(new StorageUnavailable({ cause: "away" })) : approvals.create(...given)
        )
    })
    const service = yield* served({}, asking, {
      database: (database) => ({ ...database, approvals: failing(database.approvals) })
    })
    const { ann, boss, id, server } = service
    const post = (path: string) => call(server, { path, init: { method: "POST" } }, ann)
    const ofCopies = Effect.map(
      call(server, { path: "/approvals" }, boss),
      ({ json }) => list(json, "data").filter((each) => at(each, "id") !== id)
    )
    const sessions = Effect.map(
      call(server, { path: "/sessions?type=agent" }, boss),
      ({ json }) => list(json, "data").map((each) => String(at(each, "session_id")))
    )
    /** The session of a copy that was cut off. */
    const cutCopy = Effect.fnUntraced(function*(source: string) {
      const before = new Set(yield* sessions)
      away.is = true
      failed(yield* post(`/agents/approver/sessions/${source}/fork`), 503, "SERVICE_UNAVAILABLE", /./)
      away.is = false
      const copy = (yield* sessions).find((each) => !before.has(each))
      assert.isDefined(copy)
      assert.deepStrictEqual(yield* ofCopies, [])
      return copy!
    })
    /** The job has been executed. */
    const made = Effect.gen(function*() {
      yield* TestClock.adjust("61 seconds")
      for (let tries = 0; tries < 50 && (yield* ofCopies).length === 0; tries++) yield* TestClock.adjust("1 second")
      return yield* ofCopies
    })
    const remove = (session: string) => call(server, { path: `/sessions/${session}`, init: { method: "DELETE" } }, boss)
    return { ...service, cutCopy, made, ofCopies, post, remove }
  })

  it.effect("the copy gets an approval later, and is resumed by it", () =>
    Effect.gen(function*() {
      const { boss, cutCopy, made, sent, server } = yield* cut
      yield* cutCopy("s")
      const [own] = yield* made
      assert.deepInclude(own as object, { status: "pending", run_status: "PAUSED" })
      yield* resolve(server, String(at(own, "id")), { status: "approved" }, boss)
      assert.deepStrictEqual(sent, [args])
    }))

  it.effect("the copy gets an approval although the original is deleted meanwhile", () =>
    Effect.gen(function*() {
      const { boss, cutCopy, made, remove, sent, server } = yield* cut
      const copy = yield* cutCopy("s")
      assert.strictEqual((yield* remove("s")).status, 204)
      const [own, ...others] = yield* made
      assert.deepStrictEqual(others, [])
      assert.deepInclude(own as object, { status: "pending", run_status: "PAUSED", session_id: copy, tool_args: args })
      yield* resolve(server, String(at(own, "id")), { status: "approved" }, boss)
      assert.deepStrictEqual(sent, [args])
    }))

  it.effect("the copy can be copied before it has an approval: both get one, and the second also if its originals are deleted", () =>
    Effect.gen(function*() {
      for (const isDeleted of [false, true]) {
        const { boss, cutCopy, made, post, remove, sent, server } = yield* cut
        const copy = yield* cutCopy("s")
        const second = String(at((yield* post(`/agents/approver/sessions/${copy}/fork`)).json, "session_id"))
        if (isDeleted) yield* Effect.forEach(["s", copy], remove)
        const approvals = yield* made
        const expected = isDeleted ? [second] : [copy, second]
        assert.sameMembers(approvals.map((each) => at(each, "session_id")), expected)
        for (const each of approvals) yield* resolve(server, String(at(each, "id")), { status: "approved" }, boss)
        assert.deepStrictEqual(sent, expected.map(() => args))
      }
    }))
})
