// A service that is killed while its agent calls tools of an MCP server.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Deferred, Effect, Schedule } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isAlive } from "../test/mcpClient/isAlive.ts"
import * as RawServer from "../test/mcpClient/RawServer.ts"
import { at, list } from "../test/Wire.ts"

const file = fileURLToPath(new URL("../test/mcpClient/mcp-service.ts", import.meta.url))

const run_id = "0b5f9a36-6f0e-4d55-9a52-0a1b2c3d4e5f"

const call = (name: string) => Reply.answer({ toolCalls: [{ id: name, name, arguments: ["{}"] }] })

/** The run when it does not execute any more. */
const settled = (url: string) =>
  Effect.promise(() => fetch(`${url}/agents/a/runs/${run_id}?session_id=s`).then((response) => response.json())).pipe(
    Effect.tap(() => Effect.sleep("50 millis")),
    Effect.repeat({ until: (run: unknown) => at(run, "status") !== "RUNNING" && at(run, "status") !== "PENDING" })
  )

/** The service is killed during the call of `last`, after a finished call of `once`, and started again. */
const killed = Effect.fnUntraced(function*(last: string) {
  const turns = [call("once"), call(last), Reply.text("Done")]
  const provider = yield* OpenAiChat.answering(({ body }) => {
    const messages = list(body, "messages")
    const answered = messages.filter((message) => at(message, "role") === "tool").length
    return turns[answered] ?? Reply.text("Done")
  })
  const begun = yield* Deferred.make<void>()
  const finish: RawServer.Answer = (response, { id }) => {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } }))
  }
  const mcp = yield* RawServer.listen({
    "tools/list": { tools: ["once", "reads"].map((name) => ({ name, inputSchema: { type: "object" } })) },
    "tools/call": [finish, () => void Deferred.doneUnsafe(begun, Effect.void), finish]
  })
  const DATA_DIR = yield* TemporaryDirectory.withDatabase
  const start = ServiceProcess.start(file, {
    DATA_DIR,
    PORT: "0",
    MODEL: "openai-compatible:m",
    OPENAI_BASE_URL: provider.url,
    FETCH_ALLOW: "127.0.0.1",
    MCP_URL: mcp.url
  })
  const first = yield* start
  yield* Effect.promise(() =>
    fetch(`${first.url}/agents/a/runs`, {
      method: "POST",
      body: new URLSearchParams({ message: "Hi", stream: "false", background: "true", run_id, session_id: "s" })
    })
  )
  yield* Deferred.await(begun)
  yield* first.end("SIGKILL")
  const second = yield* start
  const run = yield* settled(second.url)
  const called = mcp.seen.filter(({ method }) => method === "tools/call").map(({ params }) => params["name"])
  return { run, called }
})

describe("a service that is killed during a call of an MCP server", () => {
  // each starts two processes
  Tier.oneIn(2)

  it.live("a call that only reads is repeated, and a finished call is not", () =>
    Effect.scoped(Effect.gen(function*() {
      const { called, run } = yield* killed("reads")
      assert.strictEqual(at(run, "status"), "COMPLETED")
      assert.deepStrictEqual(called, ["once", "reads", "reads"])
    })))

  it.live("a call with an effect is not repeated: the run waits for a person", () =>
    Effect.scoped(Effect.gen(function*() {
      const { called, run } = yield* killed("once")
      assert.strictEqual(at(run, "status"), "PAUSED")
      assert.deepInclude(list(at(run, "tools"))[1], { tool_name: "once", outcome_unknown: true })
      assert.deepStrictEqual(called, ["once", "once"])
    })))

  it.live("the process of an MCP server ends with a service that is killed, because its input is closed", () =>
    Effect.scoped(Effect.gen(function*() {
      const provider = yield* OpenAiChat.answering(() => Reply.text("Done"))
      const directory = yield* TemporaryDirectory.make
      const service = yield* ServiceProcess.start(file, {
        DATA_DIR: yield* TemporaryDirectory.withDatabase,
        PORT: "0",
        MODEL: "openai-compatible:m",
        OPENAI_BASE_URL: provider.url,
        MCP_PROGRAM: fileURLToPath(new URL("../test/mcpClient/stdio-server.ts", import.meta.url)),
        PIDS: join(directory, "pids")
      })
      yield* Effect.promise(() =>
        fetch(`${service.url}/agents/a/runs`, {
          method: "POST",
          body: new URLSearchParams({ message: "Hi", stream: "false" })
        }).then((response) => response.text())
      )
      const [pid = 0] = readFileSync(join(directory, "pids"), "utf8").trim().split("\n").map(Number)
      assert.isTrue(isAlive(pid))
      yield* service.end("SIGKILL")
      yield* Effect.repeat(Effect.sync(() => isAlive(pid)), { until: (alive) => !alive, schedule: Schedule.spaced(20) })
    })))
})
