// Workflows that a factory makes for a message.
import { assert, describe, it } from "@effect/vitest"
import type { FactoryContext } from "@svc-runtime/agents/factory/FactoryContext"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import { Effect } from "effect"
import { closed, token } from "../authorization/Closed.ts"
import { at, list } from "../Wire.ts"
import { Tenant } from "../wire/Factories.ts"
import { connect, fetched, kinds, serve, start, until } from "./SocketService.ts"

describe("a workflow that a factory makes", () => {
  const made = Effect.gen(function*() {
    const seen: Array<FactoryContext<typeof Tenant.Type>> = []
    const factory = WorkflowFactory.make({
      id: "made",
      inputSchema: Tenant,
      build: (context) => {
        seen.push(context)
        const { input } = context
        if (input?.tenant === "stranger") throw new FactoryPermissionError({ message: "Not for you" })
        if (input?.tenant === "broken") throw new Error("hunter2")
        const confirmedStep = Step.make({ name: "asked", confirmation: true, run: () => `for ${input?.tenant}` })
        return Workflow.make({ id: "made", steps: [confirmedStep] })
      }
    })
    return { factory, seen }
  })
  const begin = { ...start, workflow_id: "made", factory_input: { tenant: "acme" } }

  it.effect("a workflow is made from the object in the message, to start and to continue", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* made
      const { url } = yield* serve({ workflows: [factory] })
      const client = yield* connect(url, "/workflows/made/ws")
      yield* client.send({ ...begin, workflow_id: undefined, user_id: "ann" })
      const paused = (yield* until(client, "WorkflowPaused")).at(-1)
      const [requirement] = list(paused, "step_requirements")
      const proceed = {
        action: "continue-workflow",
        run_id: "r",
        session_id: "s",
        step_requirements: [{ ...requirement as object, confirmed: true }]
      }
      const refused = yield* client.ask({ ...proceed, factory_input: {} })
      assert.match(String(at(refused, "error")), /^Factory error: factory_input validation failed: /)
      const other = yield* client.ask({ ...proceed, factory_input: { tenant: "globex" } })
      assert.match(String(at(other, "error")), /factory_input is not that with which the run started$/)
      yield* client.send({ ...proceed, factory_input: { tenant: "acme" } })
      const frames = yield* until(client, "WorkflowCompleted")
      assert.strictEqual(at(frames.at(-1), "content"), "for acme")
      assert.deepStrictEqual(seen.map(({ input, request }) => [input, request]), [
        [{ tenant: "acme" }, null],
        [{ tenant: "acme" }, null]
      ])
      assert.deepInclude(seen[0], { userId: "ann" as never, sessionId: "s" })
    }))

  it.effect("a factory gets the claims of the token, and nothing else", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* made
      const { url } = yield* serve({ workflows: [factory], authorization: yield* closed })
      const client = yield* connect(url)
      yield* client.send({ action: "authenticate", token: yield* token("ann", "workflows:run") })
      yield* client.next
      yield* client.next
      yield* client.send({ ...begin, user_id: "bob" })
      yield* until(client, "WorkflowPaused")
      assert.strictEqual(String(seen[0]?.userId), "ann")
      assert.strictEqual(seen[0]?.trusted.claims["sub"], "ann")
      assert.deepStrictEqual(seen[0]?.trusted.scopes, new Set(["workflows:run"]))
    }))

  it.effect("a refused message gets one frame, nothing is stored, and the socket stays", () =>
    Effect.gen(function*() {
      const { factory } = yield* made
      const { url } = yield* serve({ workflows: [factory] })
      const client = yield* connect(url)
      const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
        [undefined, /^Factory error: factory_input validation failed: tenant: /],
        [null, /^Factory error: factory_input validation failed: tenant: /],
        [{ tenant: 5 }, /^Factory error: factory_input validation failed: tenant: /],
        [`{"tenant":"acme"}`, /^Factory error: factory_input must be a JSON object, got string$/],
        [["acme"], /^Factory error: factory_input must be a JSON object, got array$/],
        [5, /^Factory error: factory_input must be a JSON object, got number$/],
        [{ tenant: "stranger" }, /^Factory error: Not for you$/],
        [{ tenant: "broken" }, /^Factory error: Workflow factory error: The workflow factory 'made' failed/]
      ]
      for (const [factory_input, frames] of wrong) {
        const answer = yield* client.ask({ ...begin, factory_input })
        assert.strictEqual(at(answer, "event"), "error")
        assert.match(String(at(answer, "error")), frames)
        assert.notInclude(JSON.stringify(answer), "hunter2")
      }
      assert.deepStrictEqual(list(yield* fetched(url, "/sessions?type=workflow"), "data"), [])
      yield* client.send(begin)
      yield* until(client, "WorkflowPaused")
    }))

  it.effect("a run is watched again without the factory", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* made
      const { url } = yield* serve({ workflows: [factory] })
      const client = yield* connect(url)
      yield* client.send(begin)
      yield* until(client, "WorkflowPaused")
      const other = yield* connect(url)
      yield* other.send({ action: "reconnect", workflow_id: "made", run_id: "r", session_id: "s" })
      assert.deepStrictEqual(kinds(yield* until(other, "subscribed")), [
        "catch_up",
        "WorkflowStarted",
        "StepPaused",
        "WorkflowPaused",
        "subscribed"
      ])
      assert.strictEqual(seen.length, 1)
    }))
})
