import { assert, describe, it } from "@effect/vitest"
import { list } from "@svc-runtime/engine/run/leases/NodeListing"
import { Effect } from "effect"

const known = (node: string, silentFor: number) => ({
  node,
  process: null,
  seenAt: "",
  silentFor,
  steadyFor: 0
})

describe("The list of nodes", () => {
  it.effect("A node is silent when it could be replaced by others, and the node that answers never is.", () =>
    Effect.gen(function*() {
      const runs = {
        nodes: Effect.succeed([known("c#3", 99), known("b#2", 34), known("a#1", 30)]),
        nodeRuns: Effect.succeed([{ node: "a#1", runs: 3 }, { node: "", runs: 2 }])
      }
      const { nodes, waitingRuns } = yield* list(runs, { node: "c#3", silentAfter: 33 })
      assert.strictEqual(waitingRuns, 2)
      assert.deepStrictEqual(nodes.map(({ isAlive, isThis, node, runs }) => ({ node, isAlive, isThis, runs })), [
        { node: "a#1", isAlive: true, isThis: false, runs: 3 },
        { node: "b#2", isAlive: false, isThis: false, runs: 0 },
        { node: "c#3", isAlive: true, isThis: true, runs: 0 }
      ])
    }))
})
