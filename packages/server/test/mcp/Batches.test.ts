// Batches (revision 2025-03-26 alone has them): every message gets its own response, whatever the others are.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { agents } from "../authorization/Closed.ts"
import { at, serve } from "../Wire.ts"
import { latest, messages, open, post, request } from "./Mcp.ts"

Tier.oneIn(8)

const opened = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const server = yield* serve(options)
  return yield* open(server, { version: "2025-03-26" })
})

const send = Effect.fnUntraced(function*(session: Effect.Success<ReturnType<typeof opened>>, body: unknown) {
  const answer = yield* post(session.server, body, { headers: session.headers })
  return { ...answer, all: answer.json as ReadonlyArray<unknown> }
})

const invalid = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } }
const notified = { jsonrpc: "2.0", method: "notifications/initialized" }

describe("a batch", () => {
  it.effect("a batch has a response for each message, in order, and none for notifications", () =>
    Effect.gen(function*() {
      const session = yield* opened()
      const answer = yield* send(session, [
        request("ping", {}, 1),
        notified,
        request("tools/list", {}, "two"),
        request("nothing/like/it", {}, 3)
      ])
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.all.map((one) => at(one, "id")), [1, "two", 3])
      assert.deepStrictEqual(answer.all[0], { jsonrpc: "2.0", id: 1, result: {} })
      assert.isArray(at(answer.all[1], "result", "tools"))
      assert.strictEqual(at(answer.all[2], "error", "code"), -32601)
    }))

  it.effect("a batch with equal ids has all of its responses, at once, also for unknown methods", () =>
    Effect.gen(function*() {
      const session = yield* opened()
      for (const [method, key] of [["ping", "result"], ["nothing/like/it", "error"]] as const) {
        const answer = yield* send(session, Array.from({ length: 40 }, () => request(method, {}, 7)))
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.all.length, 40)
        for (const one of answer.all) assert.deepStrictEqual([at(one, "id"), key in (one as object)], [7, true])
      }
    }))

  it.effect("a batch has an error for each invalid message, beside the responses to the others", () =>
    Effect.gen(function*() {
      const session = yield* opened()
      const one = yield* send(session, [1, 2])
      assert.deepStrictEqual([one.status, one.json], [200, [invalid, invalid]])
      const odd = [{}, null, [], "x", { jsonrpc: "2.0", id: {}, method: "ping" }, {
        jsonrpc: "1.0",
        id: 5,
        method: "ping"
      }]
      const mixed = yield* send(session, [...odd, request("ping", {}, 9)])
      assert.deepStrictEqual(mixed.all.slice(0, 5), Array.from({ length: 5 }, () => invalid))
      assert.deepStrictEqual([at(mixed.all[5], "id"), at(mixed.all[5], "error", "code")], [5, -32600])
      assert.deepStrictEqual(mixed.all[6], { jsonrpc: "2.0", id: 9, result: {} })
    }))

  it.effect("a batch of notifications is accepted without a body", () =>
    Effect.gen(function*() {
      const answer = yield* send(yield* opened(), [notified, notified])
      assert.deepStrictEqual([answer.status, answer.text], [202, ""])
    }))

  it.effect("a batch begins no session", () =>
    Effect.gen(function*() {
      const params = { protocolVersion: latest, capabilities: {}, clientInfo: { name: "x", version: "1" } }
      const answer = yield* send(yield* opened(), [request("initialize", params, 1), request("ping", {}, 2)])
      assert.deepStrictEqual(answer.all.map((one) => at(one, "error", "code")), [-32600, undefined])
      assert.isNull(answer.headers.get("mcp-session-id"))
    }))

  it.effect("a batch has at most 100 messages", () =>
    Effect.gen(function*() {
      const answer = yield* send(yield* opened(), Array.from({ length: 101 }, (_, n) => request("ping", {}, n)))
      assert.strictEqual(answer.status, 413)
      assert.deepStrictEqual(
        at(answer.json, "error", "message"),
        "A batch has at most 100 messages, and this one has 101"
      )
    }))

  it.effect("a batch can call tools, whose progress is not sent", () =>
    Effect.gen(function*() {
      const session = yield* opened({ agents: yield* agents })
      const call = (id: number) =>
        request("tools/call", {
          name: "run_agent",
          arguments: { agent_id: "assistant", message: "hi", session_id: `s${id}` },
          _meta: { progressToken: id }
        }, id)
      const answer = yield* send(session, [call(1), call(2)])
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(answer.all.map((one) => at(one, "id")), [1, 2])
      for (const one of answer.all) assert.isUndefined(at(one, "result", "isError"))
    }))
})

describe("a message without an id, which is a notification", () => {
  const headers = (method: string) => ({ "mcp-protocol-version": "2026-07-28", "mcp-method": method })
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
  }

  it.effect.each(["prompts/list", "tools/list", "nothing/like/it", "notifications/cancelled"])(
    "a notification of %s is accepted without a body, or refused with one",
    (method) =>
      Effect.gen(function*() {
        const server = yield* serve()
        const session = yield* open(server)
        const alone = yield* post(server, { jsonrpc: "2.0", method, params: { _meta } }, { headers: headers(method) })
        const within = yield* post(server, { jsonrpc: "2.0", method, params: {} }, { headers: session.headers })
        for (const answer of [alone, within]) {
          if (answer.status === 202) assert.strictEqual(answer.text, "")
          else assert.isNumber(at(messages(answer)[0], "error", "code"), `${answer.status} ${answer.text}`)
        }
      })
  )
})
