// The life of a run under random commands, in step with the model of it. The current node of the run writes under its
// attempt, and a node that lost the lease writes under the one before.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option, Schema } from "effect"
import * as Seed from "../../Seed.ts"
import * as Tier from "../../Tier.ts"
import { ending, events, newId, newRun } from "../Samples.ts"
import * as RunModel from "./RunModel.ts"

const anyone = { owner: Owner.anyone }

interface Life {
  readonly begun: NewRun
  readonly other: string
  readonly model: RunModel.Model
}

const statuses: Partial<Record<RunModel.Command, Run.Status>> = {
  complete: "COMPLETED",
  pause: "PAUSED",
  fail: "ERROR",
  cancelled: "CANCELLED",
  "stale end": "COMPLETED"
}

/** Gives whether the store says that it was done; undefined where it says nothing. */
const carryOut = Effect.fnUntraced(function*({ begun, model, other }: Life, command: RunModel.Command) {
  const runs = yield* RunStore
  const { node, run_id } = begun
  const attempt = command.startsWith("stale") ? model.attempt - 1 : model.attempt
  const take = (taker: string, isStarting: boolean) =>
    Effect.map(
      runs.takeOver({ node: taker, isStarting, limit: 1000 }),
      (taken) => taken.some((acquired) => acquired.run_id === run_id)
    )
  switch (command) {
    case "begin":
      return yield* Effect.isSuccess(runs.create(begun))
    case "step":
    case "stale step":
      return yield* runs.record({
        run_id,
        attempt,
        position: model.entries,
        entry: { step: model.entries },
        events: []
      })
    case "complete":
    case "pause":
    case "fail":
    case "cancelled":
    case "stale end": {
      const last = events(begun, 0).slice(0, 1)
      yield* runs.finish({ ...ending(begun, { run: { status: statuses[command]! }, events: last }), attempt })
      return undefined
    }
    case "continue":
    case "stale continue":
      return Option.isSome(yield* runs.resume({ run_id, attempt, node, entry: { decision: "continue" } }))
    case "restart":
      return yield* take(node, true)
    case "hand over":
      yield* runs.release(node)
      return undefined
    case "take over":
      return yield* take(other, false)
    case "ask for its end":
      yield* runs.requestCancel(run_id, undefined, anyone)
      return undefined
    case "give anew":
      yield* runs.supersede(run_id, 9)
      return undefined
  }
})

const look = Effect.fnUntraced(function*({ begun: { run_id, session_id } }: Life) {
  const found = yield* RunStore.use((runs) => runs.snapshot(session_id, run_id, anyone))
  return Option.match(found, {
    onNone: () => ({ status: "none", attempt: 0, entries: 0, isCancelRequested: false }),
    onSome: ({ attempt, entries, isCancelRequested, status }) => ({
      status,
      attempt,
      entries: entries.length,
      isCancelRequested
    })
  })
})

const live = Effect.fnUntraced(function*(commands: ReadonlyArray<RunModel.Command>) {
  const [begun, other] = [newRun({ node: newId("node") }), newId("node")]
  let model = RunModel.nothing
  for (const [index, command] of ["begin" as const, ...commands].entries()) {
    const life = { begun, other, model }
    const result = yield* carryOut(life, command)
    const { isDone, next } = RunModel.apply(model, command)
    const earlier = ["begin", ...commands.slice(0, index)].join(", ")
    if (result !== undefined) assert.strictEqual(result, isDone, `${earlier}: whether it is done`)
    model = next
    const { holder: _, ...expected } = next
    assert.deepStrictEqual(yield* look(life), expected, earlier)
  }
})

const Commands = Schema.Array(Schema.Literals(RunModel.commands)).check(Schema.isMinLength(15), Schema.isMaxLength(30))

export const lifecycle = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect.prop(
    "a run follows the model, whatever is done to it and in whatever order",
    [Commands],
    ([commands]) => live(commands),
    { arbitrary: { runs: Tier.size(15, 100), seed: Seed.seed } }
  )
}
