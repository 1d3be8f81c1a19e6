// What A2A reads of a request: its version, its bytes and its parameters, with one rule for all wires.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, get, post, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"
import { base, codeOf, current, legacy, message, reasonOf, rpc } from "./Requests.ts"

Tier.oneIn(3)

describe("requests", () => {
  it.effect("versions in the header and in the query are both supported and the same", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      const request = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "SendMessage", params: message() })
      for (const [stated, query] of [["1.0", "2.0"], ["1.0", "0.3"], ["0.3", "1.0"], ["9", ""], ["", "9"]] as const) {
        const headers = { "content-type": "application/json", "a2a-version": stated }
        const init = { method: "POST", headers, body: request }
        const called = yield* ask(server, `${base}?A2A-Version=${query}`, init)
        assert.strictEqual(codeOf(called), -32009, `${stated} ${query}`)
        for (const path of ["tasks", "v1/tasks/none", ".well-known/agent-card.json"]) {
          const refused = yield* ask(server, `${base}/${path}?A2A-Version=${query}`, { headers })
          assert.deepStrictEqual([refused.status, reasonOf(refused)], [400, "VERSION_NOT_SUPPORTED"], path)
        }
      }
      const own = JSON.stringify({ id: 1, params: legacy() })
      const mixed = yield* ask(server, `${base}/v1/message:send`, { method: "POST", headers: current, body: own })
      assert.deepStrictEqual([mixed.status, typeof at(mixed.json, "detail")], [400, "string"])
      assert.deepStrictEqual(yield* script.calls, [])
      const same = yield* ask(server, `${base}?A2A-Version=1.0`, { method: "POST", headers: current, body: request })
      assert.strictEqual(at(same.json, "result", "task", "status", "state"), "TASK_STATE_COMPLETED")
    }))

  it.effect("the body of a request is limited as a whole, whatever its fields", () =>
    Effect.gen(function*() {
      const limits = { jsonBody: 1000, formBody: 1000, a2aBody: 5000 }
      const server = yield* serve({ agents: [(yield* plain).agent], limits })
      const send = (characters: number) =>
        post(server, `${base}/message:send`, { ...message(), metadata: { text: "x".repeat(characters) } })
      assert.strictEqual((yield* send(4000)).status, 200)
      assert.strictEqual((yield* send(5000)).status, 413)
    }))

  it.effect("a body that is not UTF-8 is no JSON", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      const text = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "SendMessage", params: message() })
      const body = Buffer.from(text.replace("hi", "h\u00e9"), "latin1")
      assert.strictEqual(codeOf(yield* ask(server, base, { method: "POST", headers: current, body })), -32700)
      assert.deepStrictEqual(yield* script.calls, [])
    }))

  it.effect("a parameter that is null or an empty text counts as absent, on each wire", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      yield* rpc(server, "SendMessage", message())
      const names = ["pageToken", "contextId", "status", "statusTimestampAfter"]
      for (const value of ["", null]) {
        const listed = yield* rpc(server, "ListTasks", Object.fromEntries(names.map((name) => [name, value])))
        assert.strictEqual(at(listed.json, "result", "totalSize"), 1, listed.text)
      }
      const queried = yield* get(server, `${base}/tasks?${names.map((name) => `${name}=`).join("&")}`)
      assert.strictEqual(at(queried.json, "totalSize"), 1, queried.text)
    }))

  it.effect("only timestamps of ISO 8601 are timestamps", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      for (
        const statusTimestampAfter of ["1", "2026", "Nov 20, 2026", "2026-02-30T00:00:00Z", "2026-11-20T25:00:00Z"]
      ) {
        const query = new URLSearchParams({ statusTimestampAfter })
        assert.strictEqual(codeOf(yield* rpc(server, "ListTasks", { statusTimestampAfter })), -32602)
        assert.strictEqual((yield* get(server, `${base}/tasks?${query}`)).status, 400)
      }
      for (const statusTimestampAfter of ["2026-11-20T10:00:00.123Z", "2026-11-20T10:00:00+01:00"]) {
        assert.strictEqual(codeOf(yield* rpc(server, "ListTasks", { statusTimestampAfter })), undefined)
        const unescaped = yield* get(server, `${base}/tasks?statusTimestampAfter=${statusTimestampAfter}`)
        assert.strictEqual(unescaped.status, 200)
      }
    }))

  it.effect("an address for changes with a control character, a space or half of a character is refused", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      for (const wrong of ["\0", "\n", "\t", " ", "\u007f", "\ud800"]) {
        const taskPushNotificationConfig = { url: `https://example.com/a${wrong}b` }
        const refused = yield* rpc(server, "SendMessage", {
          ...message(),
          configuration: { taskPushNotificationConfig }
        })
        assert.strictEqual(codeOf(refused), -32602, JSON.stringify(wrong))
      }
      assert.deepStrictEqual(yield* script.calls, [])
    }))
})
