// Runs inside of a run: kept in the same session, as runs of their own.
import { assert, type Vitest } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newRun, runId, sessionId, talk } from "../Samples.ts"
import { runsOf } from "./stored.ts"

const anyone = { owner: Owner.anyone }

const member = (
  outer: { readonly run_id: Run.Id; readonly session_id: string },
  agent_id: string,
  fields: Partial<Run.Output> = {}
): Run.Output => ({
  run_id: runId(),
  agent_id,
  session_id: outer.session_id,
  parent_run_id: outer.run_id,
  content: "Read",
  content_type: "str",
  created_at: 1_700_000_050,
  status: "COMPLETED",
  messages: talk("read", "Read"),
  ...fields
})

const begin = Effect.fnUntraced(function*(fields: Partial<NewRun> = {}) {
  const begun = newRun({ kind: "team", component_id: "desk", session_id: sessionId(), ...fields })
  yield* RunStore.use((runs) => runs.create(begun))
  return begun
})

export const memberRuns = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("member runs are shown before the run that they are inside of", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      const library: TeamRun.Output = {
        run_id: runId(),
        team_id: "library",
        session_id: begun.session_id,
        parent_run_id: begun.run_id,
        content_type: "str",
        created_at: begun.created_at,
        status: "COMPLETED"
      }
      const [first, second] = [member(library, "reader", { content: "\u0000" }), member(begun, "writer")]
      yield* runs.recordMembers({ ...begun, attempt: 1 }, [first, library, second])
      yield* runs.finish(ending(begun))
      assert.deepStrictEqual(yield* runsOf(begun.session_id), [
        first.run_id,
        library.run_id,
        second.run_id,
        begun.run_id
      ])
      const found = yield* Effect.flatMap(runs.find(begun.session_id, first.run_id, anyone), Effect.fromOption)
      assert.deepStrictEqual(found, { ...first, events: [] })
      const ofDesk = yield* runs.list(begun.session_id, { ...anyone, component: { kind: "team", id: "desk" } })
      assert.deepStrictEqual(Option.getOrElse(ofDesk, () => []).map(({ run_id }) => run_id), [begun.run_id])
      const { chat } = yield* SessionStore.use((store) => store.getConversation(begun.session_id, Owner.anyone))
      assert.notInclude(chat, `"read"`, "what members say is no part of the conversation")
    }))

  it.effect("a paused member run is stored again when it was resumed, with all of its messages", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      const paused = member(begun, "reader", { status: "PAUSED", messages: talk("read", "Read").slice(0, 2) })
      const whole = { ...paused, status: "COMPLETED" as const, messages: [...paused.messages ?? [], ...talk("a", "b")] }
      yield* runs.recordMembers({ ...begun, attempt: 1 }, [paused])
      yield* runs.recordMembers({ ...begun, attempt: 1 }, [whole])
      const found = yield* Effect.flatMap(runs.find(begun.session_id, paused.run_id, anyone), Effect.fromOption)
      assert.deepStrictEqual(found, { ...whole, events: [] })
      assert.strictEqual((yield* runsOf(begun.session_id)).length, 2)
    }))

  it.effect("nothing is stored under a lost lease, and a run of that id with another owner stays", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = yield* begin()
      const theirs = yield* begin()
      yield* runs.recordMembers({ ...begun, attempt: 2 }, [member(begun, "reader")])
      yield* runs.recordMembers({ ...begun, attempt: 1 }, [member(begun, "reader", { run_id: theirs.run_id })])
      assert.deepStrictEqual(yield* runsOf(begun.session_id), [begun.run_id])
      const found = yield* Effect.flatMap(runs.find(theirs.session_id, theirs.run_id, anyone), Effect.fromOption)
      assert.deepStrictEqual(AnyRun.componentOf(found), { kind: "team", id: "desk" })
      yield* runs.finish(ending(begun))
      yield* runs.recordMembers({ ...begun, attempt: 1 }, [member(begun, "reader")])
      assert.deepStrictEqual(yield* runsOf(begun.session_id), [begun.run_id])
    }))
}
