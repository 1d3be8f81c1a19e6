// Evaluations whose service account is revoked while they are executed.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call, claims, closed, mint, theIssuer } from "../authorization/Closed.ts"
import { at, column } from "../Wire.ts"
import { slow } from "./Evaluations.ts"

const json = (method: string, body: object) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** A service with a slow agent, an admin, and an account that evaluates it. */
const begun = Effect.fnUntraced(function*(agent: NonNullable<TestServer.Options["agents"]>[number]) {
  const server = yield* TestServer.make({ model: "demo", agents: [agent], authorization: yield* closed })
  const admin = yield* (yield* theIssuer).sign({ ...claims("ops", ["platform:admin"]), exp: 4_000_000_000 })
  const account = yield* mint(server, admin, { name: "tester", scopes: ["platform:admin"] })
  const settled = Effect.fnUntraced(function*(path: string, status: string) {
    for (;;) {
      const { json } = yield* call(server, { path }, admin)
      if (at(json, "status") === status) return json
      yield* Effect.sleep("10 millis")
    }
  })
  const send = (path: string, body: object) => call(server, { path, init: json("POST", body) }, account.token)
  const revoke = call(server, { path: `/service-accounts/${account.id}`, init: { method: "DELETE" } }, admin)
  /** Another account with the name of the first. */
  const replace = Effect.andThen(revoke, mint(server, admin, { name: "tester", scopes: ["platform:admin"] }))
  return { admin, replace, revoke, send, server, settled }
})

const error = "It was started by the service account 'sa:tester', which was revoked or has expired"

describe("an evaluation whose service account is revoked", () => {
  it.live("an experiment ends before its next item, and keeps the results that it has", () =>
    Effect.gen(function*() {
      const { agent, go, reached, script } = yield* slow
      const { admin, revoke, send, server, settled } = yield* begun(agent)
      const items = ["a", "b", "c", "d"].map((input) => ({ input }))
      const dataset_id = at((yield* send("/datasets", { name: "letters", items })).json, "id")
      const accepted = yield* send("/experiments", {
        dataset_id,
        agent_id: "assistant",
        scorers: [{ type: "contains", texts: ["Paris"] }]
      })
      const path = `/experiments/${String(at(accepted.json, "id"))}`
      yield* reached
      assert.strictEqual((yield* revoke).status, 204)
      yield* go
      assert.deepInclude((yield* settled(path, "FAILED")) as object, { error, items_done: 1, summary: null })
      assert.lengthOf(yield* script.calls, 2)
      const listed = yield* call(server, { path: `${path}/items` }, admin)
      assert.deepStrictEqual(column(at(listed.json, "data") as ReadonlyArray<unknown>, "status"), ["passed"])
    }))

  it.live("an evaluation ends before its next run", () =>
    Effect.gen(function*() {
      const { agent, go, reached, script } = yield* slow
      const { revoke, send, settled } = yield* begun(agent)
      const accepted = yield* send("/eval-runs", {
        agent_id: "assistant",
        eval_type: "accuracy",
        input: "The capital of France?",
        expected_output: "Paris",
        num_iterations: 5,
        background: true
      })
      yield* reached
      assert.strictEqual((yield* revoke).status, 204)
      yield* go
      const ended = yield* settled(`/eval-runs/${String(at(accepted.json, "id"))}`, "FAILED")
      assert.deepInclude(ended as object, { error, runs_done: 1 })
      assert.lengthOf(yield* script.calls, 2)
    }))

  it.live("another account with its name does not continue it", () =>
    Effect.gen(function*() {
      const { agent, go, reached, script } = yield* slow
      const { replace, send, settled } = yield* begun(agent)
      const evaluated = yield* send("/eval-runs", {
        agent_id: "assistant",
        eval_type: "accuracy",
        input: "The capital of France?",
        expected_output: "Paris",
        num_iterations: 5,
        background: true
      })
      yield* reached
      yield* replace
      yield* go
      const ended = yield* settled(`/eval-runs/${String(at(evaluated.json, "id"))}`, "FAILED")
      assert.deepInclude(ended as object, { error, runs_done: 1 })
      assert.lengthOf(yield* script.calls, 2)
    }))
})
