// What happens to the runs of a stored agent while they pause, and after they have ended.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at, post, runWhole, send } from "../Wire.ts"
import { continueRun } from "./Mailing.ts"
import { answer, changes, fields } from "./MemoryAgent.ts"
import { ann, open } from "./MemoryFixtures.ts"

const model = { id: "scripted", provider: "Scripted" }

describe("runs of a stored agent", () => {
  it.live("a job reads a run with the model of its agent, which only the registry of the service has", () =>
    Effect.gen(function*() {
      const extracted = changes({ action: "create", memory: "The user is called Ann" })
      const script = yield* Script.make([answer, extracted])
      const service = yield* open({ registry: { models: [script.model] } })
      const made = yield* post(service.server, "/agents", { name: "Agent", model, memory: true })
      assert.strictEqual(made.status, 201, made.text)
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.deepStrictEqual(yield* service.memoriesOf(ann), ["The user is called Ann"])
    }))

  it.live("a job reads a run with the model of the version with which the run began, also if the agent is deleted", () =>
    Effect.gen(function*() {
      const extracted = changes({ action: "create", memory: "The user is called Ann" })
      const deleted: Effect.Effect<unknown> = Effect.suspend(() =>
        send(service.server, "DELETE", "/agents/agent", undefined)
      )
      const script = yield* Script.make([[Script.wait(deleted), ...answer], extracted])
      const service = yield* open({ registry: { models: [script.model] } })
      yield* post(service.server, "/agents", { name: "Agent", model, memory: true })
      const { status, text } = yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(status, 200, text)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.deepStrictEqual(yield* service.memoriesOf(ann), ["The user is called Ann"])
    }))

  it.live("a session is summarized with the model of the version with which its run began", () =>
    Effect.gen(function*() {
      const summary = [Script.text(JSON.stringify({ summary: "They greeted each other", topics: [] }))]
      const patched: Effect.Effect<unknown> = Effect.suspend(() =>
        send(service.server, "PATCH", "/agents/agent", { model: "demo", session_summaries: false })
      )
      const script = yield* Script.make([[Script.wait(patched), ...answer], summary])
      const service = yield* open({ registry: { models: [script.model] } })
      const session_summaries = { after_runs: 1 }
      const made = yield* post(service.server, "/agents", { name: "Agent", model, session_summaries })
      assert.strictEqual(made.status, 201, made.text)
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual(yield* script.remaining, 0)
    }))

  it.live("a run of a draft continues with the draft as it was at the start of the run", () =>
    Effect.gen(function*() {
      const instructed = ({ prompt }: Script.Call) => {
        const system = prompt.content.find(({ role }) => role === "system")
        return [Script.text(String(system?.content))]
      }
      const script = yield* Script.make([[Script.toolCall("send", {}, "call_1")], instructed])
      let sent = 0
      const tools = [Tool.make({ name: "send", requiresConfirmation: true, execute: () => ++sent })]
      const { server } = yield* open({ registry: { models: [script.model], tools } })
      const draft = { name: "Agent", model, tools: ["send"], stage: "draft" }
      yield* post(server, "/agents", { ...draft, instructions: "First" })
      const paused = yield* runWhole(server, "agent", { message: "Hi", session_id: "s", run_id: "r", version: "1" })
      assert.strictEqual(at(paused.json, "status"), "PAUSED", paused.text)
      const patched = yield* send(server, "PATCH", "/agents/agent", {
        instructions: "Second",
        tools: [],
        stage: "draft"
      })
      assert.strictEqual(at(patched.json, "version"), 1, patched.text)
      const decided = { session_id: "s", tools: JSON.stringify([{ tool_call_id: "call_1", confirmed: true }]) }
      const { json, status, text } = yield* continueRun(server, decided, undefined, "/agents/agent/runs/r/continue")
      assert.strictEqual(status, 200, text)
      assert.strictEqual(at(json, "content"), "First")
      // the changed draft does not have the tool
      assert.strictEqual(sent, 1)
    }))
})
