// What a node reports of the nodes whose runs it acquires.
import { assert, describe, it } from "@effect/vitest"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import { Effect } from "effect"
import { logged } from "../../../agents/test/agent/Harness.ts"
import * as LostNodes from "../../src/run/leases/LostNodes.ts"

const taken = (count: number, holder: string, silentFor: number | null = 12.4) =>
  Array.from({ length: count }, () => ({ holder, silentFor }))

const made = () => {
  const instruments = Instruments.make()
  const counts = () =>
    Object.fromEntries(
      [...instruments.format().matchAll(/svc_takeovers_total\{reason="(\w+)"\} (\d+)/g)].map((
        [, reason, count]
      ) => [reason, Number(count)])
    )
  return { lost: LostNodes.make("b#2", instruments), counts }
}

describe("lost nodes", () => {
  it.effect("a lost node is logged once, as a warning with its name, its last heartbeat and the number of runs", () =>
    Effect.gen(function*() {
      const { counts, lost } = made()
      const { lines } = yield* logged(Effect.andThen(lost.took(taken(15, "a#1")), lost.ended))
      assert.strictEqual(lines.length, 1)
      assert.strictEqual(lines[0]?.level, "Warn")
      assert.include(
        lines[0]?.text,
        "The node a#1 is lost, and this node takes over its runs: 15. Its last heartbeat was 12 s ago"
      )
      assert.deepInclude(lines[0]?.annotations, { lost_node: "a#1", runs: 15, silent_seconds: 12 })
      assert.deepStrictEqual(counts(), { lost: 15, restarted: 0, released: 0, unconfirmed: 0 })
    }))

  it.effect("the runs of further statements are logged together when there are no more", () =>
    Effect.gen(function*() {
      const { counts, lost } = made()
      const took = Effect.forEach([100, 100, 7], (count) => lost.took(taken(count, "a#1")))
      const { lines } = yield* logged(Effect.andThen(took, Effect.andThen(lost.ended, lost.ended)))
      assert.deepStrictEqual(lines.map(({ annotations }) => annotations["runs"]), [100, 107])
      assert.strictEqual(counts()["lost"], 207)
    }))

  it.effect("runs of an earlier process of the node are counted, and logged as those of a restart", () =>
    Effect.gen(function*() {
      const { counts, lost } = made()
      const { lines } = yield* logged(lost.took(taken(3, "b#1", null)))
      assert.include(
        lines[0]?.text,
        "The process before this one (b#1) ended without handing over its runs: 3. It has no heartbeat"
      )
      assert.deepStrictEqual(counts(), { lost: 0, restarted: 3, released: 0, unconfirmed: 0 })
    }))

  it.effect("released runs and runs of the node itself are counted, and no node is lost", () =>
    Effect.gen(function*() {
      const { counts, lost } = made()
      const { lines } = yield* logged(lost.took([...taken(2, "", null), ...taken(1, "b#2", 0)]))
      assert.deepStrictEqual(lines, [])
      assert.deepStrictEqual(counts(), { lost: 0, restarted: 0, released: 2, unconfirmed: 1 })
    }))
})
