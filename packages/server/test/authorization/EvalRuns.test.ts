// Evaluation runs belong to no user, by the contract: a caller with the scopes sees, renames and deletes all of them.
import { assert, describe, it } from "@effect/vitest"
import { form, json } from "@svc-runtime/test-support/endpoints/Checked"
import { Effect } from "effect"
import { at, column, failed, list } from "../Wire.ts"
import { call, everything as scopes, mint, serveClosed, token } from "./Closed.ts"

describe("evaluation runs", () => {
  it.effect("isolated callers share evaluation runs, and the sessions of their runs belong to who made them", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const admin = yield* token("root", "platform:admin")
      const [ann, bob] = [yield* token("ann", ...scopes), yield* token("bob", ...scopes)]
      const bot = (yield* mint(server, admin, { name: "bot", scopes })).token
      const evaluate = { agent_id: "assistant", eval_type: "performance", input: "hi" }
      const made = yield* call(server, { path: "/eval-runs", init: json("POST", evaluate) }, ann)
      assert.strictEqual(made.status, 200, made.text)
      const id = String(at(made.json, "id"))
      const path = `/eval-runs/${id}`
      const session = `/sessions/eval_${id}_1`
      for (const other of [bob, bot]) {
        assert.deepStrictEqual(column(list((yield* call(server, { path: "/eval-runs" }, other)).json, "data"), "id"), [
          id
        ])
        assert.strictEqual((yield* call(server, { path: session }, other)).status, 404)
      }
      const renamed = yield* call(server, { path, init: json("PATCH", { name: "of bob" }) }, bob)
      assert.strictEqual(at(renamed.json, "name"), "of bob")
      assert.strictEqual((yield* call(server, { path: session }, ann)).status, 200)
      const removal = { path: "/eval-runs", init: json("DELETE", { eval_run_ids: [id] }) }
      const reader = yield* token("eve", "evals:read")
      failed(
        yield* call(server, removal, reader),
        403,
        "FORBIDDEN",
        "Insufficient permissions. Required scope(s): evals:delete"
      )
      assert.strictEqual((yield* call(server, removal, bot)).status, 204)
      assert.strictEqual((yield* call(server, { path }, ann)).status, 404)
    }))

  it.effect("only callers who may evaluate choose the ids of the runs and sessions of an evaluation", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const evaluate = { agent_id: "assistant", eval_type: "performance", input: "hi" }
      const init = json("POST", evaluate)
      const made = yield* call(server, { path: "/eval-runs", init }, yield* token("ann", ...scopes))
      const session_id = `eval_${String(at(made.json, "id"))}_5`
      const run_id = `${session_id}_run`
      const message = { role: "user", messageId: "m", contextId: session_id, parts: [{ kind: "text", text: "hi" }] }
      const thread = { threadId: session_id, runId: "r", messages: [{ id: "m", role: "user", content: "hi" }] }
      const agui = { ...thread, state: {}, tools: [], context: [], forwardedProps: {} }
      const requests = [
        { path: "/agents/assistant/runs", init: form({ message: "hi", stream: "false", session_id }) },
        { path: "/agents/assistant/runs", init: form({ message: "hi", stream: "false", session_id: "own", run_id }) },
        { path: "/workflows/brief/runs", init: form({ message: "hi", stream: "false", session_id }) },
        { path: "/sessions", init: json("POST", { session_id }) },
        { path: "/agents/assistant/agui", init: json("POST", agui) },
        {
          path: "/a2a/agents/assistant",
          init: json("POST", { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } })
        }
      ]
      const reader = yield* token("eve", "evals:read", "agents:run", "workflows:run", "sessions:write")
      for (const request of requests) {
        const { text } = yield* call(server, request, reader)
        assert.include(text, "evals:write", request.path)
      }
      const admin = yield* token("root", "platform:admin")
      for (const path of [`/sessions/${session_id}`, "/sessions/own"]) {
        assert.strictEqual((yield* call(server, { path }, admin)).status, 404, path)
      }
      const chosen = form({ message: "hi", stream: "false", session_id: "eval_of_mine_1" })
      assert.strictEqual((yield* call(server, { path: "/agents/assistant/runs", init: chosen }, reader)).status, 200)
      const evaluator = yield* token("eve", "evals:write", "agents:run")
      assert.strictEqual((yield* call(server, requests[0]!, evaluator)).status, 200)
    }))
})
