// What later runs read of a call that waited for a run inside of it, when the run is cancelled or answered again.
import { assert, describe, it } from "@effect/vitest"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, type Fields, serve } from "../Wire.ts"

Tier.oneIn(3)

const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
const order = Tool.make({ name: "order", requiresConfirmation: true, execute: () => "ordered" })

const orders = Script.toolCall("order", {}, "call_o")
const looks = Script.toolCall("look", {}, "call_l")

/** The member makes these calls, and the kind of its component waits for it. */
const opened = Effect.fnUntraced(function*(kind: "team" | "agent", ...calls: ReadonlyArray<Script.Step>) {
  const inner = yield* Script.make([calls, [Script.text("Done.")]])
  const member = Agent.make({ id: "buyer", name: "Buyer", model: inner.model, tools: [look, order] })
  const delegating = kind === "team"
    ? Script.toolCall("delegate_task_to_member", { member_id: "buyer", task: "Buy" }, "call_d")
    : Script.toolCall("buyer", { task: "Buy" }, "call_d")
  const script = yield* Script.make([[delegating], [Script.text("Fine.")], [Script.text("Fine.")]])
  const options = { id: "desk", model: script.model, addHistoryToContext: true }
  const server = yield* serve(
    kind === "team"
      ? { teams: [Team.make({ ...options, members: [member] })] }
      : { agents: [Agent.make({ ...options, tools: [ComponentTool.make({ component: member })] })] }
  )
  const send = (path: string, fields: Fields) => {
    const body = new URLSearchParams({ session_id: "s", stream: "false", ...fields })
    return ask(server, `/${kind}s/desk/runs${path}`, { method: "POST", body })
  }
  const { json } = yield* send("", { message: "Buy it", run_id: "r" })
  assert.strictEqual(at(json, "status"), "PAUSED")
  /** The results of calls in the last request. */
  const results = Effect.map(
    script.prompts,
    (prompts) =>
      (prompts.at(-1) ?? []).flatMap((message) =>
        message.role === "tool" ? message.content.map((part) => at(part, "result")) : []
      )
  )
  return { results, send }
})

const stopped = "The run ended while this call waited for a run inside of it, which was stopped too."

describe("a call that waits for a run inside of it", () => {
  it.effect.each(["team", "agent"] as const)(
    "a later run of the %s reads that the run inside was stopped, and that its open call was not executed",
    (kind) =>
      Effect.gen(function*() {
        const { results, send } = yield* opened(kind, orders)
        yield* send("/r/cancel", {})
        yield* send("", { message: "next" })
        const line = "order: Not executed: the run ended before this call was made"
        assert.deepStrictEqual(yield* results, [`${stopped}\n${line}`])
      })
  )

  it.effect("a run that answers again does not see the call, if the run inside of it has done nothing", () =>
    Effect.gen(function*() {
      const { results, send } = yield* opened("team", orders)
      yield* send("/r/continue", { regenerate: "true" })
      assert.deepStrictEqual(yield* results, [])
    }))

  it.effect("a run that answers again sees the call and how it ended, if the run inside of it has made calls", () =>
    Effect.gen(function*() {
      const { results, send } = yield* opened("team", looks, orders)
      yield* send("/r/continue", { regenerate: "true" })
      const [result] = yield* results
      assert.include(String(result), stopped)
    }))
})

describe("a call that asks in its middle", () => {
  it.effect("a later run of a cancelled one reads that the call may have had its effect", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const book = Tool.make({
        name: "book",
        execute: async (_, { pause }) => {
          done.push("reserved")
          await pause({ question: "Pay?" })
          return "booked"
        }
      })
      const script = yield* Script.make([[Script.toolCall("book", {}, "call_b")], [Script.text("Fine.")]])
      const agent = Agent.make({ id: "desk", model: script.model, tools: [book], addHistoryToContext: true })
      const server = yield* serve({ agents: [agent] })
      const send = (path: string, fields: Fields) => {
        const body = new URLSearchParams({ session_id: "s", stream: "false", ...fields })
        return ask(server, `/agents/desk/runs${path}`, { method: "POST", body })
      }
      assert.strictEqual(at((yield* send("", { message: "Book", run_id: "r" })).json, "status"), "PAUSED")
      yield* send("/r/cancel", {})
      yield* send("", { message: "next" })
      const prompt = (yield* script.prompts).at(-1) ?? []
      const results = prompt.flatMap(({ content, role }) => role === "tool" ? [at(content, 0, "result")] : [])
      assert.deepStrictEqual(results, ["The run ended before this call had answered. It may have had its effect"])
      assert.deepStrictEqual(done, ["reserved"])
    }))
})
