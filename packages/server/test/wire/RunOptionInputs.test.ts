// Every option of a run with values of wrong types, huge ones and repeated ones, over every transport: one error shape,
// and nothing is stored.
import { assert, describe, it } from "@effect/vitest"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, open } from "../mcp/Mcp.ts"
import { always, ask, at, failed, get, serve } from "../Wire.ts"
import { open as connect } from "../ws/SocketClient.ts"
import { plainFlow } from "./Flows.ts"

Tier.oneIn(12)

/** Text of a JSON option that is no JSON is dropped. */
const { knowledge_filters: _, ...context } = RunOption.context

const ofForms = { ...RunOption.httpResponse, ...RunOption.start, ...context }

const huge = "x".repeat(200_000)
const texts = ["maybe", "2", "-1", "{}", "[true]", "\u0000", "\ud800", huge]
/** Forms have no halves of characters. */
const isText = (name: string) => (ofForms as RunOption.Table)[name]?.kind === "text"
const wrongTexts = (name: string) => isText(name) ? ["\u0000", huge] : texts
const wrongValues = (name: string): ReadonlyArray<unknown> => [...wrongTexts(name), "\ud800", ...others]
const others: ReadonlyArray<unknown> = [2, -1.5, {}, [], [true], { value: true }]

/** Each option with values that it does not take. */
const wrong = (options: RunOption.Table) =>
  Object.entries(options).flatMap(([name, { kind }]) => {
    if (kind === "json") return [...texts, 2, -1.5, [true], { op: "NEAR" }].map((value) => [name, value] as const)
    return [...wrongValues(name), ...(kind === "flag" ? [] : [true])].map((value) => [name, value] as const)
  })

const paths = ["/agents/plain/runs", "/teams/desk/runs", "/workflows/plain/runs"]

const serving = Effect.gen(function*() {
  const { model } = yield* always(Script.text("Hello."))
  const plain = Agent.make({ id: "plain", model })
  return { agents: [plain], teams: [Team.make({ id: "desk", model, members: [plain] })], workflows: [plainFlow] }
})

const fields = { message: "Hi", session_id: "s" }

const multipart = (pairs: ReadonlyArray<readonly [string, string]>) => {
  const body = new FormData()
  for (const [name, value] of pairs) body.append(name, value)
  return { method: "POST", body }
}

const urlencoded = (pairs: ReadonlyArray<readonly [string, string]>) => ({
  method: "POST",
  body: new URLSearchParams(pairs.map(([name, value]) => [name, value]))
})

const json = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const nothingStored = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  assert.strictEqual(at((yield* get(server, "/sessions")).json, "meta", "total_count"), 0)
})

describe.each(Tier.some(Object.keys(ofForms), 4))("the option %s", (name) => {
  it.effect("a wrong value is refused with 422 in every form and in JSON, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* serving)
      for (const path of paths) {
        for (const value of wrongTexts(name)) {
          const pairs = [...Object.entries(fields), [name, value]] as ReadonlyArray<readonly [string, string]>
          const repeated = [...Object.entries(fields), [name, "true"], [name, value]] as typeof pairs
          for (const request of [multipart(pairs), multipart(repeated), urlencoded(pairs), urlencoded(repeated)]) {
            const answer = yield* ask(server, path, request)
            failed(answer, 422, "VALIDATION_ERROR")
            assert.isBelow(answer.text.length, 2000)
            assert.deepStrictEqual(at(answer.json, "errors", 0, "loc"), ["body", name])
          }
        }
        // in the JSON of a form, a value for a text becomes its text
        for (const value of isText(name) ? [...wrongTexts(name), "\ud800"] : wrongValues(name)) {
          const answer = yield* ask(server, path, json({ ...fields, [name]: value }))
          failed(answer, 422, "VALIDATION_ERROR")
          assert.isBelow(answer.text.length, 2000)
        }
      }
      yield* nothingStored(server)
    }))
})

describe("the options of other transports", () => {
  it.effect("a wrong value is an error of a tool, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* serving)
      const session = yield* open(server)
      for (const [name, value] of wrong({ ...RunOption.start, ...RunOption.inherited })) {
        for (const [tool, id] of [["run_agent", "agent_id"], ["run_workflow", "workflow_id"]] as const) {
          const result = yield* call(session, tool, { [id]: "plain", message: "Hi", [name]: value })
          assert.isTrue(at(result, "isError"), JSON.stringify(result))
          assert.isBelow(JSON.stringify(result).length, 2000)
        }
      }
      yield* nothingStored(server)
    }))

  it.effect("a wrong value is an error frame on a socket, and nothing is stored", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen(yield* serving)
      const client = yield* connect(url, "/workflows/ws")
      yield* client.next
      for (const [name, value] of wrong({ ...RunOption.start, ...RunOption.disconnect, ...RunOption.inherited })) {
        if (value === huge) continue
        const frame = yield* client.ask({ action: "start-workflow", workflow_id: "plain", ...fields, [name]: value })
        assert.strictEqual(at(frame, "event"), "error", JSON.stringify(frame))
      }
      const response = yield* Effect.promise(() => fetch(`${url}/sessions`).then((answer) => answer.json()))
      assert.strictEqual(at(response, "meta", "total_count"), 0)
    }))
})
