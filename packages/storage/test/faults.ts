// Every method of the stores under every kind of failure of the database: it fails with StorageUnavailable, or not at
// all, and is never a defect; and after the fault it works again.
import { assert, layer } from "@effect/vitest"
import { Owner } from "@svc/domain"
import { RunStore, SessionStore } from "@svc/runtime"
import * as FaultySql from "@svc/testing/FaultySql"
import { beginning, ending, presence, session } from "@svc/testing/suites/Samples"
import { Cause, Effect, Exit, type Layer, Option, References } from "effect"

const anyone = { owner: Owner.anyone }

const methods = Effect.gen(function*() {
  const [runs, sessions] = [yield* RunStore, yield* SessionStore]
  const begun = beginning()
  const { run_id, session_id } = begun
  const held = { run_id, attempt: 1 }
  const calls: Readonly<Record<string, Effect.Effect<unknown, { readonly _tag: string }>>> = {
    "runs.begin": runs.create(begun),
    "runs.record": runs.record({ ...held, position: 0, entry: {}, events: [] }),
    "runs.appendEvents": runs.appendEvents([{ ...held, events: [] }]),
    "runs.readEvents": runs.readEvents(session_id, run_id, anyone, { after: -1, limit: 1 }),
    "runs.requestCancel": runs.requestCancel(run_id, session_id, anyone),
    "runs.cancelRequested": runs.cancelRequested("node"),
    "runs.takeTurns": runs.dequeue({ node: "node", sessions: [session_id], uncertain: [] }),
    "runs.find": runs.find(session_id, run_id, anyone),
    "runs.list": runs.list(session_id, anyone),
    "runs.rest": runs.snapshot(session_id, run_id, anyone),
    "runs.recall": runs.memberHistory({ run_id, component: { kind: "agent", id: "a" }, team: "t", limit: 1 }),
    "runs.recordInner": runs.recordMembers(held, []),
    "runs.finish": runs.finish(ending(begun)),
    "runs.resume": runs.resume({ ...held, node: "node", entry: undefined }),
    "runs.takeOver": runs.takeOver({ node: "node", isStarting: true, nodeTimeout: undefined, limit: 1 }),
    "runs.supersede": runs.supersede(run_id),
    "runs.beat": runs.heartbeat(presence("node")),
    "runs.nodes": runs.nodes,
    "runs.release": runs.release("node"),
    "sessions.find": sessions.find(session_id, Owner.anyone),
    "sessions.getConversation": sessions.getConversation(session_id, Owner.anyone),
    "sessions.list": sessions.list(anyone, { page: 1, limit: 1 }, { by: "created_at", order: "desc" }),
    "sessions.update": sessions.update(session_id, Owner.anyone, { updated_at: 1 }),
    "sessions.remove": sessions.remove([session_id], Owner.anyone),
    "sessions.create": sessions.create(session())
  }
  return calls
})

export const faulty = <E>(
  name: string,
  stores: Layer.Layer<RunStore | SessionStore, E>,
  more: Readonly<Record<string, string>> = {}
) =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`The stores over ${name}`, (it) => {
    it.effect.each(Object.entries({ ...FaultySql.faults, ...more }))(
      "the stores fail with StorageUnavailable and without a defect under %s, and work again after it",
      ([, fault]) =>
        Effect.gen(function*() {
          const calls = yield* methods
          for (const [method, call] of Object.entries(calls)) {
            const exit = yield* Effect.exit(FaultySql.during(call, fault))
            if (Exit.isSuccess(exit)) continue
            assert.isFalse(Cause.hasDies(exit.cause), `${method}: ${Cause.pretty(exit.cause)}`)
            const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
            assert.include(["StorageUnavailable", "SessionNotFound"], error?._tag, method)
          }
          for (const [method, call] of Object.entries(yield* methods)) {
            const exit = yield* Effect.exit(call)
            assert.isTrue(Exit.isSuccess(exit) || !/Unavailable|Die/.test(Cause.pretty(exit.cause)), method)
          }
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
  })
