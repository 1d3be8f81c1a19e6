// Two runs in one session: `if_busy` over HTTP, streamed, waited for and in the background.
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { call, open } from "../mcp/Mcp.ts"
import { ask, at, column, failed, frames, get, invalid, kindsOf, run, runWhole, serve } from "../Wire.ts"

Tier.oneIn(6)

/** An agent that remembers, whose first run is stuck until it is let go. */
const stuck = Effect.gen(function*() {
  const [requested, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const script = yield* Script.make([
    [Script.wait(Deferred.succeed(requested, undefined)), Script.wait(gate), Script.text("one")],
    ...Array.from({ length: 100 }, () => [Script.text("later")])
  ])
  const agent = Agent.make({ id: "agent", model: script.model, addHistoryToContext: true })
  const server = yield* serve({ agents: [agent] })
  const first = yield* Effect.forkChild(runWhole(server, "agent", { session_id: "s", run_id: "one", message: "1" }))
  yield* Deferred.await(requested)
  return { server, first, letGo: Deferred.succeed(gate, undefined) }
})

const fields = { session_id: "s", run_id: "two", message: "2" }

describe("a run into a session that is busy", () => {
  for (const stream of ["true", "false"]) {
    it.effect(`a run waits in the session queue and is PENDING until then, stream=${stream}`, () =>
      Effect.gen(function*() {
        const { first, letGo, server } = yield* stuck
        const second = yield* Effect.forkChild(run(server, "agent", { ...fields, stream }))
        // the request that is looked for has to get on meanwhile
        const poll = Effect.andThen(Effect.yieldNow, get(server, "/agents/agent/runs/two?session_id=s"))
        const waiting = yield* Effect.repeat(poll, { until: ({ status }) => status === 200 })
        assert.strictEqual(at(waiting.json, "status"), "PENDING")
        yield* letGo
        assert.strictEqual(at((yield* Fiber.join(first)).json, "content"), "one")
        const answer = yield* Fiber.join(second)
        if (stream === "true") assert.strictEqual(kindsOf(frames(answer.text)).at(-1), "RunCompleted")
        else assert.strictEqual(at(answer.json, "content"), "later")
      }))
  }

  it.effect("any number of background runs are accepted, and executed in the order of acceptance", () =>
    Effect.gen(function*() {
      const { letGo, server } = yield* stuck
      const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`)
      for (const run_id of ids) {
        const answer = yield* runWhole(server, "agent", { ...fields, run_id, background: "true" })
        assert.deepStrictEqual([answer.status, at(answer.json, "status")], [202, "PENDING"])
      }
      const listed = yield* get(server, "/agents/agent/runs?session_id=s&status=PENDING")
      assert.deepStrictEqual(column(listed.json, "run_id"), ids)
      yield* letGo
      const all = get(server, "/agents/agent/runs?session_id=s&status=COMPLETED")
      const done = yield* Effect.repeat(all, { until: ({ json }) => (json as ReadonlyArray<unknown>).length === 21 })
      assert.deepStrictEqual(column(done.json, "run_id"), ["one", ...ids])
    }))

  it.effect("a run that refuses to wait is rejected with 409, and nothing of it is stored", () =>
    Effect.gen(function*() {
      const { letGo, server } = yield* stuck
      const reject = { ...fields, if_busy: "reject" }
      for (const stream of ["true", "false"]) {
        const refused = yield* run(server, "agent", { ...reject, stream })
        failed(refused, 409, "CONFLICT", /^Session with id 's' is busy/)
      }
      assert.strictEqual((yield* get(server, "/agents/agent/runs/two?session_id=s")).status, 404)
      yield* letGo
      const again = runWhole(server, "agent", reject)
      const accepted = yield* Effect.repeat(again, { until: ({ status }) => status !== 409 })
      assert.strictEqual(at(accepted.json, "status"), "COMPLETED")
    }))

  it.effect("a run that interrupts cancels the others", () =>
    Effect.gen(function*() {
      const { first, server } = yield* stuck
      const answer = yield* runWhole(server, "agent", { ...fields, if_busy: "interrupt" })
      assert.strictEqual(at(answer.json, "content"), "later")
      assert.strictEqual(at((yield* Fiber.join(first)).json, "status"), "CANCELLED")
    }))

  it.effect("a queued run can be cancelled", () =>
    Effect.gen(function*() {
      const { server } = yield* stuck
      yield* runWhole(server, "agent", { ...fields, background: "true" })
      yield* server.fetch("/agents/agent/runs/two/cancel?session_id=s", { method: "POST" })
      const poll = get(server, "/agents/agent/runs/two?session_id=s")
      const ended = yield* Effect.repeat(poll, { until: ({ json }) => at(json, "status") !== "PENDING" })
      assert.strictEqual(at(ended.json, "status"), "CANCELLED")
    }))

  it.effect("a run with an unknown if_busy is refused", () =>
    Effect.gen(function*() {
      const { server } = yield* stuck
      invalid(yield* run(server, "agent", { ...fields, if_busy: "wait" }), [["body", "if_busy"], "enum"])
    }))
})

describe("a workflow's run into a session that is busy", () => {
  /** A workflow whose first run is stuck until it is let go. */
  const stuckFlow = Effect.gen(function*() {
    const [reached, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let runs = 0
    const first = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
    const workflow = Workflow.make({
      id: "flow",
      steps: [() => ++runs === 1 ? Effect.as(first, "one") : Effect.succeed("later")]
    })
    const server = yield* serve({ workflows: [workflow] })
    const start = (more: Readonly<Record<string, string>>) =>
      ask(server, "/workflows/flow/runs", {
        method: "POST",
        body: new URLSearchParams({ message: "x", session_id: "s", stream: "false", ...more })
      })
    const one = yield* Effect.forkChild(start({ run_id: "one" }))
    yield* Deferred.await(reached)
    return { letGo: Deferred.succeed(gate, undefined), one, server, start }
  })

  it.effect("a workflow's run that refuses to wait is rejected with 409", () =>
    Effect.gen(function*() {
      const { letGo, one, start } = yield* stuckFlow
      failed(yield* start({ if_busy: "reject" }), 409, "CONFLICT", /is busy/)
      yield* letGo
      assert.strictEqual(at((yield* Fiber.join(one)).json, "content"), "one")
    }))

  it.effect("a workflow's run that interrupts cancels the others", () =>
    Effect.gen(function*() {
      const { one, start } = yield* stuckFlow
      assert.deepInclude((yield* start({ if_busy: "interrupt" })).json, { status: "COMPLETED", content: "later" })
      assert.strictEqual(at((yield* Fiber.join(one)).json, "status"), "CANCELLED")
    }))

  it.effect("a workflow's run is rejected, or cancels the others, over MCP", () =>
    Effect.gen(function*() {
      const { one, server } = yield* stuckFlow
      const session = yield* open(server)
      const run = (if_busy: string) =>
        call(session, "run_workflow", { workflow_id: "flow", message: "x", session_id: "s", if_busy })
      const refused = yield* run("reject")
      assert.deepInclude(refused, { isError: true })
      assert.match(String(at(refused, "content", 0, "text")), /is busy/)
      assert.strictEqual(at(yield* run("interrupt"), "structuredContent", "status"), "COMPLETED")
      assert.strictEqual(at((yield* Fiber.join(one)).json, "status"), "CANCELLED")
    }))
})
