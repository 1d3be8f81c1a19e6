// Nodes that share a database share the limits of the service.
import { assert, describe, it } from "@effect/vitest"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { ending, newRun } from "@svc-runtime/test-support/suites/Samples"
import { Context, Effect, Layer, Option } from "effect"
import * as Postgres from "../src/Postgres.ts"
import { ShortStatements } from "../src/ShortStatements.ts"
import { during } from "./during.ts"
import { Stores } from "./Stores.ts"

const limited = (service: StartLimits.Limits) => {
  const run = newRun()
  return { ...run, limited: StartLimits.of({ service }, run, undefined) }
}

/** The stores of two nodes, each with connections of its own. */
const nodes = Effect.gen(function*() {
  const url = yield* PostgresLayer.url
  const node = Layer.build(
    Layer.fresh(Stores.pipe(Layer.provide(StoreLimits.layerWith()), Layer.provideMerge(Postgres.layer({ url }))))
  )
  return [yield* node, yield* node] as const
})

describe("the limits of a service with two nodes", () => {
  it.live("a hundred runs that start at once on two nodes with a limit of ten are ten runs", () =>
    Effect.gen(function*() {
      const [one, other] = yield* nodes
      for (const limits of [{ runsAtOnce: 10 }, { runsPerMinute: 20 }]) {
        const accepted = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, index) => index),
          (index) => {
            const run = limited(limits)
            const store = Context.get(index % 2 === 0 ? one : other, RunStore)
            return Effect.option(Effect.as(store.create(run), run))
          },
          { concurrency: "unbounded" }
        )
        const runs = accepted.filter(Option.isSome)
        assert.strictEqual(runs.length, 10 + ("runsPerMinute" in limits ? 10 : 0))
        yield* Effect.forEach(runs, ({ value }) => Context.get(one, RunStore).finish(ending(value)), {
          concurrency: 10
        })
      }
    }))

  it.live("a run that waits when its node stops waits on at the node that takes it over", () =>
    Effect.gen(function*() {
      const [one, other] = (yield* nodes).map((node) => Context.get(node, RunStore))
      const queued = (node: string) => {
        const run = newRun({ node })
        const options = { service: { runsAtOnce: 1 }, whenExceeded: "queue" } as const
        return { ...run, limited: StartLimits.of(options, run, undefined) }
      }
      const [first, second] = [queued("one"), queued("other")]
      yield* one!.create(first)
      assert.isTrue((yield* other!.create(second)).isQueued)
      yield* other!.release("other")
      const taken = yield* one!.takeOver({ node: "one", isStarting: false, limit: 10 })
      assert.deepStrictEqual(taken.map(({ run_id }) => run_id), [second.run_id])
      assert.deepStrictEqual(yield* one!.admitWaiting("one"), [])
      yield* one!.finish(ending(first))
      assert.deepStrictEqual(yield* one!.admitWaiting("one"), [second.session_id])
      const dequeued = yield* one!.dequeue({ node: "one", sessions: [second.session_id], uncertain: [] })
      assert.deepStrictEqual(dequeued.map(({ run_id }) => run_id), [second.run_id])
    }))

  it.live("a run waits for one that starts at the same moment, and is refused if that takes the last place", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const outcome = yield* during(runs.create(limited({ runsAtOnce: 1 })), runs.create(limited({ runsAtOnce: 1 })))
      assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "LimitReached")
    }).pipe(Effect.provide(Stores.pipe(
      Layer.provide(Layer.succeed(ShortStatements, undefined)),
      Layer.provideMerge(PostgresLayer.layer)
    ))))
})
