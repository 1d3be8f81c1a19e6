// Runs that execute, in the lists of the runs of their session: a page that is loaded in the middle of an answer shows
// the question and the answer so far.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { call, closed, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, failed, get, serve } from "../Wire.ts"

Tier.oneIn(3)

const form = new URLSearchParams({ message: "hi", session_id: "s", run_id: "r" })

/** Components whose model waits in the middle of its answer. */
const waiting = Effect.gen(function*() {
  const reached = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const { model } = yield* Script.make([
    [
      Script.text("Hel"),
      Script.text("lo, "),
      Script.wait(Deferred.succeed(reached, undefined)),
      Script.wait(gate),
      Script.text("Ann.")
    ]
  ])
  const agent = Agent.make({ id: "slow", model })
  const components = {
    agents: [agent],
    teams: [Team.make({ id: "slow", model, members: [Agent.make({ id: "member" })] })],
    workflows: [Workflow.make({ id: "slow", steps: [Step.make({ name: "one", agent })] })]
  }
  return { components, reached: Deferred.await(reached), release: Deferred.succeed(gate, undefined) }
})

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const listed = (server: TestServer.TestServer, bearer?: string) => call(server, { path: "/sessions/s/runs" }, bearer)

/** Asks until the answer has the text: events are stored soon after they happen. */
const shows = (server: TestServer.TestServer, content: string, bearer?: string) =>
  Effect.repeat(Effect.tap(listed(server, bearer), () => turn), {
    until: ({ json }) => column(json, "content").includes(content)
  })

/** Starts a stream, and reads it until the model waits. */
const begin = Effect.fnUntraced(function*(server: TestServer.TestServer, kind: string, bearer?: string) {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const response = yield* server.fetch(`/${kind}/slow/runs`, { method: "POST", headers, body: form })
  assert.strictEqual(response.status, 200)
  return { rest: Effect.promise(() => response.text()) }
})

describe("GET /sessions/{id}/runs while a run executes", () => {
  it.effect.each(["agents", "teams", "workflows"])(
    "a run of %s is listed with its question and its answer so far, and the whole answer afterwards",
    (kind) =>
      Effect.gen(function*() {
        const { components, reached, release } = yield* waiting
        const server = yield* serve(components)
        const { rest } = yield* begin(server, kind)
        yield* reached
        const { json } = yield* shows(server, "Hello, ")
        const [run] = json as ReadonlyArray<unknown>
        assert.strictEqual(at(run, "status"), "RUNNING")
        assert.strictEqual(at(run, "run_input"), "hi")
        assert.strictEqual(at(run, "run_id"), "r")
        assert.strictEqual(at((yield* get(server, "/sessions/s/runs/r")).json, "content"), "Hello, ")
        yield* release
        yield* rest
        const done = yield* listed(server)
        const ended = (done.json as ReadonlyArray<unknown>).find((each) => at(each, "run_id") === "r")
        assert.deepStrictEqual([at(ended, "status"), at(ended, "content")], ["COMPLETED", "Hello, Ann."])
      })
  )

  it.effect("text before a call of a tool is no part of the answer that follows it", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const tool = Tool.make({ name: "look", effects: "read", execute: () => "Seen." })
      const { model } = yield* Script.make([
        [Script.text("I look. "), Script.toolCall("look")],
        [
          Script.text("It is "),
          Script.wait(Deferred.succeed(reached, undefined)),
          Script.wait(gate),
          Script.text("blue.")
        ]
      ])
      const server = yield* serve({ agents: [Agent.make({ id: "slow", model, tools: [tool] })] })
      const { rest } = yield* begin(server, "agents")
      yield* Deferred.await(reached)
      yield* shows(server, "It is ")
      yield* Deferred.succeed(gate, undefined)
      yield* rest
      assert.deepStrictEqual(column((yield* listed(server)).json, "content"), ["It is blue."])
    }))

  it.effect("a client that was cut reads the same as one that is connected", () =>
    Effect.gen(function*() {
      const { components, reached, release } = yield* waiting
      const server = yield* serve(components)
      const response = yield* server.fetch("/agents/slow/runs", { method: "POST", body: form })
      const reader = response.body!.getReader()
      yield* Effect.promise(() => reader.read())
      yield* reached
      yield* Effect.promise(() => reader.cancel())
      const { json } = yield* shows(server, "Hello, ")
      assert.deepStrictEqual(column(json, "status"), ["RUNNING"])
      yield* release
    }))

  it.effect("on a closed service the user of the run reads it, and another user finds no session", () =>
    Effect.gen(function*() {
      const { components, reached, release } = yield* waiting
      const server = yield* serveClosed({ ...components, authorization: yield* closed })
      const [ann, bob] = [
        yield* token("ann", "agents:run", "sessions:read"),
        yield* token("bob", "agents:run", "sessions:read")
      ]
      const { rest } = yield* begin(server, "agents", ann)
      yield* reached
      yield* shows(server, "Hello, ", ann)
      failed(yield* listed(server, bob), 404, "NOT_FOUND")
      yield* release
      yield* rest
    }))
})
