// A call of an MCP client that has become a task: the node that executes its run dies, and the client polls another.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Progress from "./Progress.ts"
import * as Tasks from "./Tasks.ts"

const Task = Schema.Struct({
  taskId: Schema.String,
  status: Schema.String,
  inputRequests: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  result: Schema.optionalKey(Schema.Unknown)
})
const Reply = Schema.Struct({ result: Schema.Unknown })

const decodeReply = Schema.decodeUnknownSync(Reply)
const decodeTask = Schema.decodeUnknownSync(Task)

/** A client of the revision 2026-07-28 that knows tasks, and that can ask its user. */
const send = (base: string, method: string, name: string, params: object) =>
  Client.attempt(async () => {
    const response = await fetch(`${base}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": name
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
              extensions: { "io.modelcontextprotocol/tasks": {} },
              elicitation: {}
            }
          }
        }
      })
    })
    return decodeReply(await response.json()).result
  })

/** Polls until the task does not work any more. */
const settled = (base: string, taskId: string) =>
  Effect.map(send(base, "tasks/get", taskId, { taskId }), decodeTask).pipe(
    Effect.tap(() => Effect.sleep("250 millis")),
    Effect.repeat({ until: ({ status }) => status !== "working" })
  )

describe("a task of an MCP client whose node is killed", () => {
  it.live("another node asks about the call that was cut off, and gives the result with the decision of the client", () =>
    Effect.scoped(Effect.gen(function*() {
      // a call becomes a task after five seconds
      const nodes = yield* Nodes.make({ effectMillis: 60_000 })
      const [north, south] = [yield* nodes.start("north"), yield* nodes.start("south")]
      const life = Effect.gen(function*() {
        const run = "task-1"
        const given = { agent_id: "buyer", message: Tasks.tell("Pay", run), session_id: run }
        const { status, taskId } = decodeTask(
          yield* send(north.url, "tools/call", "run_agent", { name: "run_agent", arguments: given })
        )
        assert.strictEqual(status, "working")
        yield* nodes.kill("north")
        const open = yield* settled(south.url, taskId)
        assert.strictEqual(open.status, "input_required")
        const [{ receipt = "" } = {}] = nodes.ledger.of(run)
        const inputResponses = Object.fromEntries(
          Object.keys(open.inputRequests ?? {}).map((id) => [id, { action: "accept", content: { result: receipt } }])
        )
        yield* send(south.url, "tasks/update", taskId, { taskId, inputResponses })
        const done = yield* settled(south.url, taskId)
        assert.strictEqual(done.status, "completed")
        assert.include(JSON.stringify(done.result), receipt)
        assert.lengthOf(nodes.ledger.of(run), 1)
      })
      yield* Progress.watched("a task", nodes.signs, life)
    })))
})
