// The official library as a remote agent.
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext
} from "@a2a-js/sdk/server"
import { assert, describe, it } from "@effect/vitest"
import * as RemoteAgent from "@svc-runtime/agents/agent/remote/RemoteAgent"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, list } from "../Wire.ts"
import * as RemoteServer from "./RemoteServer.ts"

const states = { working: 2, completed: 3, inputRequired: 6 }

const parts = (text: string) => [
  { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }
]

/** Greets, and asks for a name first if the message is a question. */
const executor = {
  execute: async (context, bus) => {
    const { contextId, taskId, userMessage } = context
    const text = String(at(userMessage, "parts", 0, "content", "value"))
    const ids = { taskId, contextId, metadata: undefined }
    const status = (state: number, words?: string) => ({
      ...ids,
      status: {
        state,
        timestamp: undefined,
        message: words === undefined ? undefined : {
          messageId: "m",
          contextId,
          taskId,
          role: 2,
          parts: parts(words),
          metadata: undefined,
          extensions: [],
          referenceTaskIds: []
        }
      }
    })
    const { status: begun } = status(states.working)
    const task = { id: taskId, contextId, status: begun, artifacts: [], history: [userMessage], metadata: undefined }
    bus.publish(AgentEvent.task((context.task ?? task) as never))
    if (text === "Greet me") {
      bus.publish(AgentEvent.statusUpdate(status(states.inputRequired, "Who are you?") as never))
      return bus.finished()
    }
    for (const [index, piece] of ["Hello ", `${text}.`].entries()) {
      const artifact = {
        artifactId: "answer",
        name: "",
        description: "",
        parts: parts(piece),
        metadata: undefined,
        extensions: []
      }
      bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact, append: index > 0, lastChunk: index > 0 } as never))
    }
    bus.publish(AgentEvent.statusUpdate(status(states.completed) as never))
    bus.finished()
  },
  cancelTask: async () => {}
} satisfies AgentExecutor

const remoteAgent = Effect.gen(function*() {
  const cardOf = (url: string) => ({
    name: "official",
    description: "",
    version: "1",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" }],
    capabilities: { streaming: true, extensions: [] },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: []
  })
  const handler = new JsonRpcTransportHandler(
    new DefaultRequestHandler(cardOf("http://127.0.0.1/") as never, new InMemoryTaskStore(), executor)
  )
  return yield* RemoteServer.make(({ body }, response) => {
    const answer = async () => {
      const result = await handler.handle(body, new ServerCallContext({ requestedVersion: "1.0" }))
      if (!(Symbol.asyncIterator in result)) return void response.end(JSON.stringify(result))
      response.writeHead(200, { "content-type": "text/event-stream" })
      for await (const each of result) response.write(`data: ${JSON.stringify(each)}\n\n`)
      response.end()
    }
    void answer()
  })
})

const post = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  Effect.flatMap(
    server.fetch(path, { method: "POST", body: new URLSearchParams({ stream: "false", session_id: "s", ...fields }) }),
    (response) => Effect.promise(() => response.json() as Promise<unknown>)
  )

describe("a remote agent of the official library", () => {
  it.live("a run has the answer of the official library, streamed in pieces", () =>
    Effect.gen(function*() {
      const { url } = yield* remoteAgent
      const agents = [RemoteAgent.a2a({ id: "far", url, timeout: "10 seconds" })]
      const server = yield* TestServer.make({ agents, fetch: { allow: ["127.0.0.1"] } })
      const run = yield* post(server, "/agents/far/runs", { message: "Ann" })
      assert.deepInclude(run, { status: "COMPLETED", content: "Hello Ann." })
    }))

  it.live("a question of the official library pauses the run, and its answer continues the task", () =>
    Effect.gen(function*() {
      const { received, url } = yield* remoteAgent
      const agents = [RemoteAgent.a2a({ id: "far", url, timeout: "10 seconds" })]
      const server = yield* TestServer.make({ agents, fetch: { allow: ["127.0.0.1"] } })
      const paused = yield* post(server, "/agents/far/runs", { message: "Greet me" })
      assert.strictEqual(at(paused, "status"), "PAUSED")
      const tool = list(at(paused, "tools")).at(-1)
      assert.strictEqual(at(tool, "tool_args", "question"), "Who are you?")
      const user_input_schema = [{ name: "answer", value: "Ann" }]
      const tools = JSON.stringify([{ tool_call_id: at(tool, "tool_call_id"), user_input_schema }])
      const done = yield* post(server, `/agents/far/runs/${String(at(paused, "run_id"))}/continue`, { tools })
      assert.deepInclude(done, { status: "COMPLETED", content: "Hello Ann." })
      assert.strictEqual(at(received.at(-1)?.params, "message", "taskId"), at(tool, "tool_args", "task_id"))
    }))
})
