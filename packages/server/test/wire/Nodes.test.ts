// The nodes of each database, for operators.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"

const nodesOf = (server: TestServer.TestServer) =>
  Effect.gen(function*() {
    const response = yield* server.fetch("/nodes")
    assert.strictEqual(response.status, 200)
    return JSON.parse(yield* Effect.promise(() => response.text()))
  })

describe("GET /nodes", () => {
  it.effect("The node that responds is alive, and has the runs that it executes.", () =>
    Effect.gen(function*() {
      const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const turn = [Script.wait(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate)))]
      const { model } = yield* Script.make([turn])
      const server = yield* TestServer.make({ agents: [Agent.make({ id: "helper", model })] })
      const body = new URLSearchParams({ message: "Hi", background: "true", stream: "false" })
      yield* server.fetch("/agents/helper/runs", { method: "POST", body })
      yield* Deferred.await(begun)
      const [database] = yield* nodesOf(server)
      assert.deepInclude(database, { is_available: true, waiting_runs: 0 })
      assert.lengthOf(database.nodes, 1)
      const { node, ...own } = database.nodes[0]
      assert.match(node, /#/)
      assert.deepStrictEqual(own, { state: "alive", is_this_node: true, seconds_since_heartbeat: 0, runs: 1 })
      yield* Deferred.succeed(gate, undefined)
    }))

  it.effect("A database that does not reply is shown as such.", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({
        database: (database) => ({
          ...database,
          runs: { ...database.runs, nodeRuns: Effect.fail(new StorageUnavailable({ cause: "away" })) }
        })
      })
      const [database] = yield* nodesOf(server)
      assert.deepInclude(database, { is_available: false, waiting_runs: 0, nodes: [] })
    }))
})
