// Who is calling, on a socket: by message, whatever the mode, and what may be done before and after. Real sockets, raw
// frames.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { closed, token } from "../authorization/Closed.ts"
import { at } from "../Wire.ts"
import { open } from "./SocketClient.ts"
import { authenticate, connect, serve } from "./Sockets.ts"

Tier.oneIn(6)

describe("the rights of a socket", () => {
  const error = (text: string) => ({ event: "error", error: text })
  const actions = [
    ["start-workflow", "Insufficient permissions to run this workflow"],
    ["continue-workflow", "Insufficient permissions to continue this workflow"],
    ["reconnect", "Insufficient permissions to reconnect to this workflow"]
  ] as const

  const as = Effect.fnUntraced(function*(path: string, ...scopes: ReadonlyArray<string>) {
    const client = yield* open((yield* serve(yield* closed)).url, path)
    yield* client.next
    yield* client.ask(authenticate(yield* token("ann", ...scopes)))
    yield* client.next
    return client.ask
  })

  it.effect("a message needs the scope to run, of all workflows or of this one, named or not", () =>
    Effect.gen(function*() {
      const none = yield* as("/workflows/ws", "agents:run", "workflows:read")
      const one = yield* as("/workflows/ws", "workflows:mine:run")
      for (const [action, refused] of actions) {
        assert.deepStrictEqual(yield* none({ action, workflow_id: "mine" }), error(refused))
        assert.deepStrictEqual(yield* none({ action }), error(refused))
        assert.deepStrictEqual(yield* one({ action, workflow_id: "other" }), error(refused))
        assert.deepStrictEqual(yield* one({ action }), error(refused))
      }
      assert.deepStrictEqual(
        yield* one({ action: "start-workflow", workflow_id: "mine" }),
        error("Workflow mine not found")
      )
    }))

  it.effect("missing fields are requested one after the other", () =>
    Effect.gen(function*() {
      const ask = yield* as("/workflows/ws", "workflows:run")
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ action: "start-workflow" }, "workflow_id is required"],
        [{ action: "start-workflow", workflow_id: "" }, "workflow_id is required"],
        [{ action: "continue-workflow" }, "workflow_id is required"],
        [{ action: "continue-workflow", workflow_id: "w" }, "run_id is required"],
        [{ action: "continue-workflow", workflow_id: "w", run_id: "r" }, "session_id is required for this action"],
        [{ action: "continue-workflow", workflow_id: "w", run_id: "r", session_id: "s" }, "Run r not found"],
        [{ action: "reconnect", run_id: "r" }, "workflow_id is required to reconnect to a workflow run"],
        [{ action: "reconnect", workflow_id: "w" }, "session_id is required to reconnect to a workflow run"],
        [{ action: "reconnect", workflow_id: "w", session_id: "s" }, "run_id is required for subscription"],
        [{ action: "reconnect", workflow_id: "w", session_id: "s", run_id: "r" }, "Run r not found"],
        [{ action: "dance" }, "Unknown action: dance"],
        [{ action: "constructor" }, "Unknown action: constructor"]
      ]
      for (const [message, expected] of cases) assert.deepStrictEqual<unknown>(yield* ask(message), error(expected))
    }))

  it.effect("a message is about the workflow of the path, unless it names another", () =>
    Effect.gen(function*() {
      const ask = yield* as("/workflows/brief/ws", "workflows:brief:run")
      assert.deepStrictEqual(yield* ask({ action: "start-workflow" }), error("Workflow brief not found"))
      assert.deepStrictEqual(
        yield* ask({ action: "start-workflow", workflow_id: "other" }),
        error("Insufficient permissions to run this workflow")
      )
    }))

  it.effect("a socket of an unrestricted caller is not narrowed", () =>
    Effect.gen(function*() {
      const ask = yield* as("/workflows/ws", "platform:admin")
      assert.deepStrictEqual(
        yield* ask({ action: "reconnect", run_id: "r" }),
        error("Run r not found in buffer or database")
      )
      assert.deepStrictEqual(
        yield* ask({ action: "continue-workflow", workflow_id: "w", run_id: "r" }),
        error("session_id is required for this action")
      )
    }))
})

describe("an invalid message", () => {
  it.effect("JSON that is not a message gets a reply, and the socket stays", () =>
    Effect.gen(function*() {
      const { ask } = yield* connect()
      for (const odd of [[], 7, null, "ping", { action: 7 }, { action: "ping", token: {} }]) {
        assert.strictEqual(at(yield* ask(odd), "event"), "error", JSON.stringify(odd))
      }
      assert.deepStrictEqual(yield* ask({ action: "ping" }), { event: "pong" })
    }))

  it.effect.each(["", "{", "ping", "\u0000"])(
    "a message that is not JSON, like %j, closes the socket",
    (text) =>
      Effect.gen(function*() {
        const { closed: end, send } = yield* connect()
        yield* send(text)
        assert.deepStrictEqual(yield* end, { code: 1007, reason: "Messages are JSON" })
      })
  )

  it.effect("a message that is too large closes the socket", () =>
    Effect.gen(function*() {
      const { closed: end, send } = yield* connect({}, { limits: { jsonBody: 1000 } })
      yield* send(JSON.stringify({ action: "ping", token: "x".repeat(1000) }))
      assert.strictEqual((yield* end).code, 1009)
    }))

  it.effect("A message with more JSON values than allowed is refused, and the socket stays open.", () =>
    Effect.gen(function*() {
      const { next, send } = yield* connect({}, { limits: { jsonValues: 100 } })
      yield* send(JSON.stringify({ action: "ping", token: Array.from({ length: 200 }, () => 1) }))
      assert.include(yield* next, { error: "The message has more than 100 JSON values (MAX_JSON_VALUES)" })
    }))
})
