// The bytes of A2A where its official clients read less: cards, streams, addresses, and what reaches a model.
import { assert, describe, it } from "@effect/vitest"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import { StepResult } from "@svc-runtime/agents/workflow/execute/StepResult"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, column, get, list, post, serve } from "../Wire.ts"
import { plain, toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"

Tier.oneIn(3)

const send = (server: TestServer.TestServer, path: string, body: object, version?: string) =>
  ask(server, path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(version === undefined ? {} : { "a2a-version": version }) },
    body: JSON.stringify(body)
  })

const dataOf = (text: string): ReadonlyArray<unknown> =>
  text.split("\n\n").filter((frame) => frame.startsWith("data: ")).map((frame) => JSON.parse(frame.slice(6)))

const message = (more: object = {}) => ({
  message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }], ...more }
})

describe("cards", () => {
  it.effect("the card of each kind has the interfaces of its version, streams and push, under the public base", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const workflow = Workflow.make({ id: "flow", steps: [Step.make({ name: "end", run: () => "Done." })] })
      const publicUrl = "https://agents.example.com"
      const settings = { protocols: { ...defaultProtocols, publicUrl } }
      const team = Team.make({ id: "desk", model: script.model, members: [agent] })
      const server = yield* serve({ agents: [agent], teams: [team], workflows: [workflow], settings })
      for (const path of ["agents/plain", "teams/desk", "workflows/flow"]) {
        const [old, current] = yield* Effect.forEach(
          ["", "?A2A-Version=1.0"],
          (query) => get(server, `/a2a/${path}/.well-known/agent-card.json${query}`)
        )
        const base = `${publicUrl}/a2a/${path}`
        assert.deepStrictEqual(at(old?.json, "additionalInterfaces"), [{ transport: "HTTP+JSON", url: base }])
        assert.deepStrictEqual(at(old?.json, "url"), `${base}/v1/message:stream`)
        assert.deepStrictEqual(at(current?.json, "supportedInterfaces"), [
          { url: base, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
          { url: base, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
        ])
        for (const card of [old, current]) {
          assert.deepInclude(at(card?.json, "capabilities"), { streaming: true, pushNotifications: true })
          assert.notStrictEqual(at(card?.json, "name"), "", path)
        }
      }
    }))

  it.effect("a card and its skill have the description of a component of each kind, and its suggested questions", () =>
    Effect.gen(function*() {
      const description = "Knows all about tea"
      const { script } = yield* plain
      const agent = Agent.make({ id: "a", model: script.model, description })
      const team = Team.make({ id: "t", model: script.model, members: [agent], description })
      const made = TeamFactory.make({ id: "f", description, build: () => team })
      const workflow = Workflow.make({ id: "w", description, steps: [Step.make({ name: "end", run: () => "Done." })] })
      const settings = { quickPrompts: { t: ["What is tea?"] } }
      const server = yield* serve({ agents: [agent], teams: [team, made], workflows: [workflow], settings })
      for (const path of ["agents/a", "teams/t", "teams/f", "workflows/w"]) {
        for (const query of ["", "?A2A-Version=1.0"]) {
          const card = (yield* get(server, `/a2a/${path}/.well-known/agent-card.json${query}`)).json
          assert.strictEqual(at(card, "description"), description, path)
          assert.strictEqual(at(card, "skills", 0, "description"), description, path)
          assert.deepStrictEqual(at(card, "skills", 0, "examples"), path === "teams/t" ? ["What is tea?"] : undefined)
        }
      }
    }))

  it.effect("the extended card is there on each wire", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const base = "/a2a/agents/plain"
      const call = (method: string) => send(server, base, { jsonrpc: "2.0", id: 1, method })
      const cards = [
        at((yield* call("GetExtendedAgentCard")).json, "result"),
        at((yield* call("agent/getAuthenticatedExtendedCard")).json, "result"),
        (yield* get(server, `${base}/extendedAgentCard`)).json,
        (yield* get(server, `${base}/v1/card`)).json
      ]
      assert.deepStrictEqual(cards.map((card) => at(card, "protocolVersion")), [undefined, "0.3.0", undefined, "0.3.0"])
    }))
})

describe("streams", () => {
  it.effect("a stream of 0.3 over HTTP appends later chunks, and only its last status is final", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const body = { message: { messageId: "m1", role: "ROLE_USER", content: [{ text: "hi" }] } }
      const items = dataOf((yield* send(server, "/a2a/agents/plain/v1/message:stream", body, "0.3")).text)
      assert.deepStrictEqual(items.map((item) => Object.keys(item as object).join()), [
        "task",
        "statusUpdate",
        "artifactUpdate",
        "artifactUpdate",
        "artifactUpdate",
        "statusUpdate"
      ])
      const [first, ...later] = items.flatMap((item) => at(item, "artifactUpdate") ?? [])
      assert.isFalse(at(first, "append"))
      assert.deepStrictEqual(column(later, "append"), [true, true])
      assert.deepStrictEqual(
        items.flatMap((item) => at(item, "statusUpdate") ?? []).map((update) => at(update, "final")),
        [false, true]
      )
    }))

  it.effect("a task is subscribed to by GET and by POST, with the same response", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const server = yield* serve({ agents: [Agent.make({ id: "careful", model, tools: [mail] })] })
      const base = "/a2a/agents/careful"
      const id = String(at((yield* send(server, `${base}/message:send`, message(), "1.0")).json, "task", "id"))
      const subscribed = yield* Effect.all([
        server.fetch(`${base}/tasks/${id}:subscribe`),
        server.fetch(`${base}/tasks/${id}:subscribe`, { method: "POST" })
      ])
      yield* post(server, `${base}/tasks/${id}:cancel`, {})
      const [read, posted] = yield* Effect.forEach(subscribed, (answer) => Effect.promise(() => answer.text()))
      const states = dataOf(read ?? "").map((item) =>
        at(item, "task", "status", "state") ?? at(item, "statusUpdate", "status", "state")
      )
      assert.deepStrictEqual(states, ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_CANCELED"])
      assert.strictEqual(read, posted)
    }))
})

describe("a text file that a run makes", () => {
  const file = { content: "Grün", mime_type: "text/plain", filename: "output.txt" }
  const raw = Buffer.from("Grün").toString("base64")
  const served = Effect.suspend(() => {
    const run = () => new StepResult({ content: "Done.", files: [file] })
    return serve({ workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "write", run })] })] })
  })

  it.effect("a text file is a file part with its name in 1.0, also in a stream", () =>
    Effect.gen(function*() {
      const server = yield* served
      const part = { raw, mediaType: "text/plain", filename: "output.txt" }
      const sent = yield* send(server, "/a2a/workflows/flow/message:send", message(), "1.0")
      assert.deepStrictEqual(list(at(sent.json, "task"), "artifacts").at(-1), {
        artifactId: "file-0",
        name: "output.txt",
        parts: [part]
      })
      const streamed = yield* send(
        server,
        "/a2a/workflows/flow/message:stream",
        message({ messageId: "m2" }),
        "1.0"
      )
      const artifacts = dataOf(streamed.text).map((item) => at(item, "artifactUpdate", "artifact"))
      assert.deepStrictEqual(
        artifacts.filter((each) => at(each, "name") === "output.txt").map((each) => at(each, "parts")),
        [
          [part]
        ]
      )
    }))

  it.effect("a text file is a file part with its name in 0.3, on both of its wires", () =>
    Effect.gen(function*() {
      const server = yield* served
      const sent = yield* send(server, "/a2a/workflows/flow", {
        jsonrpc: "2.0",
        id: 1,
        method: "message/send",
        params: { message: { kind: "message", messageId: "m1", role: "user", parts: [{ kind: "text", text: "hi" }] } }
      })
      assert.deepStrictEqual(at(list(at(sent.json, "result"), "artifacts").at(-1), "parts"), [
        { kind: "file", file: { bytes: raw, mimeType: "text/plain", name: "output.txt" } }
      ])
      const posted = yield* send(server, "/a2a/workflows/flow/v1/message:send", {
        message: { messageId: "m2", role: "ROLE_USER", content: [{ text: "hi" }] }
      })
      assert.deepStrictEqual(at(list(at(posted.json, "task"), "artifacts").at(-1), "parts"), [
        { file: { fileWithBytes: raw, mimeType: "text/plain", name: "output.txt" } }
      ])
    }))
})

describe("messages", () => {
  it.effect("data reach the model as JSON text, and files as files, in a context that the client has made", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      const raw = Buffer.from("the file").toString("base64")
      const parts = [
        { text: "Read this" },
        { data: { a: [1] } },
        { raw, filename: "a.txt", mediaType: "text/plain" }
      ]
      const sent = yield* send(server, "/a2a/agents/plain/message:send", message({ contextId: "mine", parts }), "1.0")
      assert.strictEqual(at(sent.json, "task", "contextId"), "mine")
      const prompt = JSON.stringify(yield* script.prompts)
      assert.include(prompt, JSON.stringify(`Read this\n{"a":[1]}`).slice(1, -1))
      assert.include(prompt, `"fileName":"a.txt"`)
      const { json } = yield* get(server, `/agents/plain/runs/${String(at(sent.json, "task", "id"))}?session_id=mine`)
      assert.deepStrictEqual(at(json, "metadata", "a2a", "messageId"), "m1")
    }))

  it.effect("a file by its address is a file, whatever its media type", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const url = "https://example.com/file"
      for (const mediaType of ["constructor/x", "toString", "application/pdf"]) {
        const parts = [{ text: "Read this" }, { url, mediaType, filename: "a.txt" }]
        const sent = yield* send(server, "/a2a/agents/plain/message:send", message({ parts }), "1.0")
        const [input] = list(at(sent.json, "task", "history"))
        assert.deepStrictEqual(list(at(input, "parts")).at(-1), { url, mediaType, filename: "a.txt" })
      }
    }))

  it.effect("other text than yes rejects a confirmation, and the model reads why; the run has the new message id", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const server = yield* serve({ agents: [Agent.make({ id: "careful", model: script.model, tools: [mail] })] })
      const path = "/a2a/agents/careful/message:send"
      const { json } = yield* send(server, path, message(), "1.0")
      const ids = { taskId: at(json, "task", "id"), contextId: at(json, "task", "contextId") }
      const answer = message({ ...ids, messageId: "m2", parts: [{ text: "Not before Monday" }] })
      const done = yield* send(server, path, answer, "1.0")
      assert.strictEqual(at(done.json, "task", "status", "state"), "TASK_STATE_COMPLETED")
      assert.include(JSON.stringify((yield* script.prompts).at(-1)), "Not before Monday")
      const run = yield* get(
        server,
        `/agents/careful/runs/${String(ids.taskId)}?session_id=${String(ids.contextId)}`
      )
      assert.strictEqual(at(run.json, "metadata", "a2a", "messageId"), "m2")
      assert.deepStrictEqual(list(at(done.json, "task", "history")).map((each) => at(each, "messageId")), ["m1", "m2"])
    }))
})
