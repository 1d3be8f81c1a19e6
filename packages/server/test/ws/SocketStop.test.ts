// Sockets of a service that stops.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"
import { at } from "../Wire.ts"
import { open } from "./SocketClient.ts"

const start = { action: "start-workflow", workflow_id: "gated", message: "go", session_id: "s", run_id: "r" }

describe("a service that begins to stop", () => {
  it.effect("a socket without runs is closed at once with 1001, and another one when its runs have ended", () =>
    Effect.gen(function*() {
      const [gate, stops] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const gated = Workflow.make({
        id: "gated",
        steps: [Step.make({ name: "wait", run: () => Effect.as(Deferred.await(gate), "done") })]
      })
      const { url } = yield* TestServer.listen({
        workflows: [gated],
        stopping: { begun: Deferred.await(stops), isDraining: () => false }
      })
      const [idle, following] = [yield* open(url), yield* open(url)]
      yield* idle.next
      yield* following.next
      assert.strictEqual(at(yield* following.ask(start), "event"), "WorkflowStarted")
      yield* Deferred.succeed(stops, undefined)
      assert.deepStrictEqual(yield* idle.closed, { code: 1001, reason: "The service is stopping" })
      yield* Deferred.succeed(gate, undefined)
      const last = yield* Effect.repeat(following.next, {
        until: (frame) => at(frame, "event") === "WorkflowCompleted"
      })
      assert.strictEqual(at(last, "content"), "done")
      assert.deepStrictEqual(yield* following.closed, { code: 1001, reason: "The service is stopping" })
    }))
})
