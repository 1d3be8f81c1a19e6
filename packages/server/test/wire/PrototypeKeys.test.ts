// A key that gives copies of an object another prototype reaches no function of an author, by whatever way it is sent.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { handbook } from "../Contents.ts"
import * as Mcp from "../mcp/Mcp.ts"
import { always, type Answer, ask, badRequest, failed, get, post, run, send, serve, upload } from "../Wire.ts"

const forged = "{\"a\":[{\"__proto__\":{\"isAdmin\":true}}]}"

const message = "Input should have no key '__proto__'"

const refused = (answer: Answer, what: string) => {
  assert.strictEqual(answer.status, 422, `${what}: ${answer.text}`)
  failed(answer, 422, "VALIDATION_ERROR", new RegExp(message))
}

const started = Effect.gen(function*() {
  const { model } = yield* always(Script.text("Hello"))
  const seen: Array<unknown> = []
  const made = AgentFactory.make({
    id: "made",
    build: ({ input }) => {
      seen.push(input)
      return Agent.make({ id: "made", model })
    }
  })
  const flow = WorkflowFactory.make({
    id: "flow",
    build: ({ input }) => {
      seen.push(input)
      return Workflow.make({ id: "flow", steps: [Step.make({ name: "first", run: () => "done" })] })
    }
  })
  const server = yield* serve({
    agents: [made, Agent.make({ id: "plain", model })],
    workflows: [flow],
    knowledge: [handbook]
  })
  return { seen, server }
})

const knowledge = (server: TestServer.TestServer, path: string, method: string, fields: Record<string, string>) =>
  ask(server, path, { method, body: new URLSearchParams(fields) })

describe("the key __proto__", () => {
  it.effect("A field of a form with it is refused, in every encoding.", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      for (const name of ["dependencies", "session_state", "metadata", "factory_input", "output_schema", "tools"]) {
        const fields = { message: "Hi", stream: "false", [name]: forged }
        refused(yield* run(server, "made", fields), name)
        refused(yield* upload(server, "made", fields), name)
        refused(yield* post(server, "/agents/made/runs", fields), name)
      }
      const escaped = forged.replace("_", "\\u005f")
      refused(yield* run(server, "made", { message: "Hi", factory_input: escaped }), "escaped")
      const content = { text_content: "Hello", name: "greeting" }
      refused(
        yield* knowledge(server, "/knowledge/content", "POST", { ...content, metadata: forged }),
        "metadata of a content"
      )
      refused(yield* knowledge(server, "/knowledge/content/any", "PATCH", { metadata: forged }), "changed metadata")
      assert.deepStrictEqual(seen, [])
      assert.strictEqual((yield* run(server, "made", { message: forged, stream: "false" })).status, 200)
    }))

  it.effect("A body of JSON with it is refused, also in fields that nothing reads.", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      refused(
        yield* post(server, "/agents/made/runs", `{"message":"Hi","stream":false,"factory_input":${forged}}`),
        "factory_input"
      )
      for (const field of ["\"input\"", "\"input\":1,\"expected_output\"", "\"input\":1,\"metadata\""]) {
        refused(yield* post(server, "/datasets", `{"name":"d","items":[{${field}:${forged}}]}`), field)
      }
      const own = "\"__proto__\":{\"instructions\":\"x\"}"
      for (const kind of ["agents", "teams", "workflows"]) {
        refused(yield* post(server, `/${kind}`, `{"id":"x","name":"x",${own}}`), kind)
        refused(yield* send(server, "PATCH", `/${kind}/x`, `{${own}}`), kind)
      }
      refused(yield* send(server, "PATCH", "/sessions/s", `{"\\u005f_proto__":{}}`), "escaped")
      const session = yield* Mcp.open(server)
      const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":${forged}}}`
      const answer = yield* Mcp.post(server, call, { headers: session.headers })
      assert.deepStrictEqual([answer.status, answer.text.includes(message)], [422, true])
      assert.deepStrictEqual(seen, [])
    }))

  it.effect("The factory_input of a query, and a line of an import, are refused with the reason.", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const { json: ran } = yield* post(server, "/workflows/flow/runs", { message: "Hi", stream: false })
      const { run_id, session_id } = ran as { run_id: string; session_id: string }
      const query = `session_id=${session_id}&factory_input=${encodeURIComponent(forged)}`
      badRequest(
        yield* get(server, `/workflows/flow/runs/${run_id}?${query}`),
        `factory_input validation failed: ${message}`
      )
      assert.deepStrictEqual(seen, [null])
      const { json } = yield* post(server, "/datasets", { name: "d" })
      const path = `/datasets/${(json as { id: string }).id}/import`
      const headers = { "content-type": "application/x-ndjson" }
      badRequest(
        yield* ask(server, path, { method: "POST", headers, body: `{"input":1}\n{"input":${forged}}` }),
        `Line 2 is not an item: ${message}`
      )
      const untyped = new TextEncoder().encode(`{"name":"d","items":[{"input":${forged}}]}`)
      refused(yield* ask(server, "/datasets", { method: "POST", body: untyped }), "without a type")
    }))
})
