// Runs that are resumed when a tool source does not offer the tools that they have called.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { ask, at, column, list, runWhole, serve } from "../Wire.ts"

describe("a run that is resumed without its tool source", () => {
  it.effect("the run keeps the finished call, and the decided call is answered as not reachable", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const tool = (name: string, requiresConfirmation: boolean) =>
        Tool.make({ name, requiresConfirmation, execute: () => void done.push(name) })
      let opened = 0
      const source: ToolSource = {
        _tag: "ToolSource",
        name: "once",
        open: Effect.sync(() =>
          // at the start, and before the decision counts
          opened++ < 2
            ? { tools: [tool("free", false), tool("asked", true)], problem: undefined }
            : { tools: [], problem: "It is gone" }
        ),
        last: () => undefined
      }
      const script = yield* Script.make([
        [Script.toolCall("free"), Script.toolCall("asked")],
        [Script.text("Done")]
      ])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [source] })] })
      const paused = yield* runWhole(server, "a", { message: "Hi", session_id: "s", run_id: "r" })
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      const tools = list(paused.json, "tools").map((each) => ({ ...(each as object), confirmed: true }))
      const { json } = yield* ask(server, "/agents/a/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", tools: JSON.stringify(tools.slice(1)) })
      })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual(column(list(json, "tools"), "tool_name"), ["free", "asked"])
      assert.deepStrictEqual(column(list(json, "tools"), "result"), [
        "",
        "The tool 'asked' is not available now: its server 'once' is not reachable. Nothing was done"
      ])
      assert.deepStrictEqual(done, ["free"])
    }))
})
