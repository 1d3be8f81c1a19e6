// What happens to an approval: it is kept once, it follows its run, and it is removed with its session.
import { assert, type Vitest } from "@effect/vitest"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { awkward, newId, runId, session } from "../Samples.ts"
import { approval, create, filled, find, question, resolve, start } from "./Approvals.ts"

export const persistence = (it: Vitest.MethodsNonLive<ApprovalStore | SessionStore>) => {
  it.effect("an approval is found as it was stored", () =>
    Effect.gen(function*() {
      const full = filled({ user_id: Ids.UserId.make("ann"), created_at: 4_000_000_000 })
      const bare = approval({ agent_id: null, source_name: null, tool_name: null, tool_args: null, requirements: null })
      const audited = Approval.audit(question({ tool_args: "text" }), "approved", "COMPLETED")
      for (const one of [full, bare, audited]) {
        assert.deepStrictEqual(yield* create(one), one)
        assert.deepStrictEqual(yield* find(one), one)
      }
      assert.isUndefined(yield* find(approval()))
    }))

  it.effect("a second approval of an id is not created, and the present one is returned", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const one = approval()
      yield* create(one)
      const again = { ...one, tool_name: "other", created_at: start + 60, updated_at: start + 60 }
      assert.deepStrictEqual(yield* create(again), one)
      const resolved = yield* resolve(one, start + 10)
      assert.deepStrictEqual(yield* create(again), resolved)
      assert.deepStrictEqual(yield* store.listByRun(one.run_id, start), [resolved])
    }))

  it.effect("exactly one of many approvals of an id that are created at once is stored", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const one = approval()
      const rivals = Array.from({ length: 8 }, (_, n) => ({ ...one, tool_name: `tool ${n}` }))
      const kept = yield* Effect.forEach(rivals, create, { concurrency: "unbounded" })
      assert.strictEqual(new Set(kept.map(({ tool_name }) => tool_name)).size, 1)
      assert.deepStrictEqual(yield* store.listByRun(one.run_id, start), [kept[0]!])
    }))

  it.effect("the approvals of a run are listed in the order of their creation", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const run_id = runId()
      const expiring = approval({ run_id, expires_at: start + 60 })
      const answered = Approval.audit(question({ run_id, created_at: start - 100 }), "rejected", "RUNNING")
      const waiting = approval({ run_id, created_at: start - 50, updated_at: start - 50 })
      const done = approval({ run_id })
      yield* Effect.forEach([expiring, answered, waiting, done, approval()], create)
      const resolved = yield* resolve(done)
      assert.deepStrictEqual(yield* store.listByRun(run_id, start), [expiring, answered, waiting, resolved])
      const expired = { ...expiring, status: "expired" as const }
      assert.deepStrictEqual(yield* store.listByRun(run_id, start + 60), [expired, answered, waiting, resolved])
      assert.deepStrictEqual(yield* store.listByRun(runId(), start), [])
    }))

  it.effect.each(["COMPLETED", "ERROR"] as const)(
    "an approval of a run that ends with %s stays pending",
    (status) =>
      Effect.gen(function*() {
        const store = yield* ApprovalStore
        const run_id = runId()
        const [waiting, other] = [approval({ run_id }), approval()]
        yield* Effect.forEach([waiting, other], create)
        yield* store.closeForRun(run_id, status, start + 10)
        const ended = { ...waiting, run_status: status, updated_at: start + 10 }
        assert.deepStrictEqual(yield* find(waiting), ended)
        yield* store.closeForRun(run_id, status, start + 20)
        assert.deepStrictEqual(yield* find(waiting), ended)
        assert.deepStrictEqual(yield* find(other), other)
      })
  )

  it.effect("an approval is cancelled with its run, unless it was resolved or expired before", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const run_id = runId()
      const [waiting, expiring] = [approval({ run_id }), approval({ run_id, expires_at: start + 10 })]
      const [expired, done] = [approval({ run_id, expires_at: start + 9 }), approval({ run_id })]
      const audited = Approval.audit(question({ run_id }), "approved", "RUNNING")
      yield* Effect.forEach([waiting, expiring, expired, done, audited], create)
      const resolved = yield* resolve(done)
      yield* store.closeForRun(run_id, "CANCELLED", start + 9)
      const ended = { run_status: "CANCELLED", updated_at: start + 9 } as const
      assert.deepStrictEqual(yield* store.listByRun(run_id, start + 100), [
        { ...waiting, ...ended, status: "cancelled" },
        { ...expiring, ...ended, status: "cancelled" },
        { ...expired, ...ended, status: "expired" },
        { ...resolved, ...ended },
        { ...audited, ...ended }
      ])
    }))

  it.effect("an approval is removed with its session, and with no other one", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* ApprovalStore, yield* SessionStore]
      const [mine, other] = [session(), session()]
      yield* Effect.forEach([mine, other], sessions.create)
      const gone = [approval({ session_id: mine.session_id }), filled({ session_id: mine.session_id })]
      const left = approval({ session_id: other.session_id })
      yield* Effect.forEach([...gone, left], create)
      yield* sessions.remove([mine.session_id], Owner.anyone)
      for (const one of gone) assert.isUndefined(yield* find(one))
      assert.deepStrictEqual(yield* find(left), left)
      assert.deepStrictEqual(yield* store.listByRun(gone[0]!.run_id, start), [])
    }))

  it.effect("an approval stays when its session is in another database, whatever has its id here", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const one = approval()
      yield* create(one)
      yield* sessions.create(session({ session_id: one.session_id }))
      yield* sessions.remove([one.session_id], Owner.anyone)
      assert.deepStrictEqual(yield* find(one), one)
    }))

  it.effect("texts that are difficult for a database are stored and found", () =>
    Effect.gen(function*() {
      const store = yield* ApprovalStore
      const readable = (text: string | null | undefined) => text?.toWellFormed().replaceAll(/[\0\ufffd]/g, "")
      for (const text of awkward) {
        const tool_args = { [text]: text }
        const odd = filled({
          id: Approval.Id.make(newId(text)),
          run_id: runId(newId(text)),
          user_id: Ids.UserId.make(text),
          agent_id: text,
          tool_name: text,
          tool_args,
          requirements: [tool_args],
          context: { tool_names: [text], source_name: text },
          resolution_data: tool_args
        })
        yield* create(odd)
        const found = (yield* find(odd))!
        assert.deepStrictEqual(
          [found.tool_args, found.requirements, found.context, found.resolution_data],
          [tool_args, [tool_args], odd.context, tool_args]
        )
        for (const key of ["id", "run_id", "user_id", "agent_id", "tool_name"] as const) {
          assert.strictEqual(readable(found[key]), readable(odd[key]), key)
        }
        assert.deepStrictEqual(yield* store.listByRun(odd.run_id, start), [found])
        yield* store.remove(odd.id, Owner.anyone)
        assert.isUndefined(yield* find(odd))
      }
    }))
}
