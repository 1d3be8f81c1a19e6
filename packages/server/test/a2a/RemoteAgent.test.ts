// Agents of other services as agents of this one, over real connections: this service itself, on every wire.
import { assert, describe, it } from "@effect/vitest"
import * as RemoteAgent from "@svc-runtime/agents/agent/remote/RemoteAgent"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, column, frames, list } from "../Wire.ts"
import { plain, toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"
import * as RemoteServer from "./RemoteServer.ts"
import * as Sdk from "./Sdk.ts"

Tier.oneIn(12)

const fetch = { allow: ["127.0.0.1"] }

const form = (fields: Readonly<Record<string, string>>) => ({ method: "POST", body: new URLSearchParams(fields) })

const ask = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string, fields?: Record<string, string>) {
  const response = yield* server.fetch(path, fields === undefined ? {} : form(fields))
  return JSON.parse(yield* Effect.promise(() => response.text())) as unknown
})

const careful = Effect.gen(function*() {
  const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
  return Agent.make({ id: "careful", model: script.model, tools: [mail] })
})

/** An agent here that stands for one of the service. */
const far = Effect.fnUntraced(function*(remote: TestServer.Listening, id: string, dialect: Sdk.Dialect, stream = true) {
  const url = yield* RemoteServer.card(`${remote.url}/a2a/agents/${id}`, dialect, stream)
  return RemoteAgent.a2a({ id: "far", role: "Knows much", url, origins: [remote.url] })
})

describe.each(Sdk.dialects)("A2A $version on $binding", (dialect) => {
  it.live("a remote agent answers as an agent of this service, streamed or not", () =>
    Effect.gen(function*() {
      const remote = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const server = yield* TestServer.make({ agents: [yield* far(remote, "plain", dialect)], fetch })
      const whole = yield* ask(server, "/agents/far/runs", { message: "hi", stream: "false" })
      assert.deepInclude(whole, { status: "COMPLETED", content: "Hello." })
      const response = yield* server.fetch("/agents/far/runs", form({ message: "hi", stream: "true" }))
      const shown = frames(yield* Effect.promise(() => response.text()))
      const pieces = shown.flatMap(({ data, kind }) => kind === "RunContent" ? data["content"] : [])
      assert.deepStrictEqual(pieces, ["Hel", "lo."])
    }))

  it.live("a remote agent answers when it does not stream, because its task is read again", () =>
    Effect.gen(function*() {
      const remote = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const server = yield* TestServer.make({ agents: [yield* far(remote, "plain", dialect, false)], fetch })
      const run = yield* ask(server, "/agents/far/runs", { message: "hi", stream: "false" })
      assert.deepInclude(run, { status: "COMPLETED", content: "Hello." })
    }))

  it.live("a remote agent pauses the run with its question, and the answer goes to the same task", () =>
    Effect.gen(function*() {
      const remote = yield* TestServer.listen({ agents: [yield* careful] })
      const server = yield* TestServer.make({ agents: [yield* far(remote, "careful", dialect)], fetch })
      const paused = yield* ask(server, "/agents/far/runs", { message: "mail ann", stream: "false", session_id: "s" })
      assert.strictEqual(at(paused, "status"), "PAUSED")
      const [requirement] = list(at(paused, "requirements"))
      const question = at(requirement, "tool_execution", "tool_args", "question")
      assert.include(String(question), "send_mail")
      const tool = at(requirement, "tool_execution")
      const tools = [{
        tool_call_id: at(tool, "tool_call_id"),
        user_input_schema: [{ name: "answer", value: "yes" }]
      }]
      const done = yield* ask(server, `/agents/far/runs/${String(at(paused, "run_id"))}/continue`, {
        tools: JSON.stringify(tools),
        stream: "false",
        session_id: "s"
      })
      assert.deepInclude(done, { status: "COMPLETED" })
      assert.include(String(at(done, "content")), "Tea is a leaf.")
      const response = yield* Effect.promise(() => globalThis.fetch(`${remote.url}/sessions?type=agent`))
      const sessions = yield* Effect.promise(() => response.json())
      assert.strictEqual(column(list(at(sessions, "data")), "session_id").length, 1)
    }))
})

const [dialect] = Sdk.dialects as [Sdk.Dialect]

describe("a remote agent of this service", () => {
  it.live("a remote agent is a member of a team, and its text is among the team's events", () =>
    Effect.gen(function*() {
      const remote = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const script = yield* toolUser(
        Script.toolCall("delegate_task_to_member", { member_id: "far", task: "greet" }, "call_1")
      )
      const team = Team.make({ id: "desk", model: script.model, members: [yield* far(remote, "plain", dialect)] })
      const server = yield* TestServer.make({ teams: [team], fetch })
      const response = yield* server.fetch("/teams/desk/runs", form({ message: "hi", stream: "true" }))
      const shown = frames(yield* Effect.promise(() => response.text()))
      const pieces = shown.flatMap(({ data, kind }) => kind === "RunContent" ? data["content"] : [])
      assert.deepStrictEqual(pieces, ["Hel", "lo."])
    }))

  it.live("a remote agent is the executor of a step", () =>
    Effect.gen(function*() {
      const remote = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const step = Step.make({ name: "greet", agent: yield* far(remote, "plain", dialect) })
      const workflow = Workflow.make({ id: "flow", steps: [step] })
      const server = yield* TestServer.make({ workflows: [workflow], fetch })
      const run = yield* ask(server, "/workflows/flow/runs", { message: "hi", stream: "false" })
      assert.deepInclude(run, { status: "COMPLETED", content: "Hello." })
    }))

  it.live("a remote agent has one context for the runs of a session", () =>
    Effect.gen(function*() {
      const remote = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const server = yield* TestServer.make({ agents: [yield* far(remote, "plain", dialect)], fetch })
      for (const message of ["one", "two"]) {
        yield* ask(server, "/agents/far/runs", { message, stream: "false", session_id: "s" })
      }
      const response = yield* Effect.promise(() => globalThis.fetch(`${remote.url}/sessions?type=agent`))
      const sessions = yield* Effect.promise(() => response.json())
      assert.strictEqual(list(at(sessions, "data")).length, 1)
    }))

  it.live("a message whose response was lost makes one task of a service like this one", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const remote = yield* TestServer.listen({ agents: [agent] })
      let count = 0
      const { received, url } = yield* RemoteServer.make(({ body, headers }, response, request) => {
        const forward = async () => {
          const version = String(headers["a2a-version"])
          const sent = { "content-type": "application/json", "a2a-version": version }
          const answer = await globalThis.fetch(`${remote.url}/a2a/agents/plain`, {
            method: "POST",
            headers: sent,
            body
          })
          const text = await answer.text()
          if (count++ === 0) return void request.socket.destroy()
          response.setHeader("content-type", answer.headers.get("content-type") ?? "").end(text)
        }
        void forward()
      })
      const agents = [RemoteAgent.a2a({ id: "far", url, deduplicates: true })]
      const server = yield* TestServer.make({ agents, fetch })
      const run = yield* ask(server, "/agents/far/runs", { message: "hi", stream: "false" })
      assert.deepInclude(run, { status: "COMPLETED", content: "Hello." })
      assert.strictEqual(received.filter(({ method }) => method === "SendStreamingMessage").length, 2)
      assert.strictEqual((yield* script.calls).length, 1)
    }))
})
