// Calls of tools are distinguished by their ids, whatever ids a model server gives them.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { ask, at, column, frames, list, runWhole, serve } from "../Wire.ts"

const transfer = (amount: number, id: string) => Script.toolCall("transfer", { amount }, id)

const serving = Effect.fnUntraced(function*(...turns: ReadonlyArray<Script.Turn>) {
  const done: Array<number> = []
  const script = yield* Script.make(turns)
  const tool = Tool.make({
    name: "transfer",
    parameters: Schema.Struct({ amount: Schema.Finite }),
    requiresConfirmation: true,
    execute: ({ amount }) => (done.push(amount), `${amount} transferred`)
  })
  const agent = Agent.make({ id: "payer", name: "Payer", model: script.model, tools: [tool] })
  return { done, script, server: yield* serve({ agents: [agent] }) }
})

const fields = { message: "x", session_id: "s", run_id: "r" }

describe("calls that a model gives one id, or none", () => {
  for (const id of ["same", ""]) {
    it.effect(`calls with one id are shown with ids of their own and decided one by one: ${JSON.stringify(id)}`, () =>
      Effect.gen(function*() {
        const { done, server } = yield* serving([transfer(10, id), transfer(2000, id)], [Script.text("Done.")])
        const { json } = yield* runWhole(server, "payer", fields)
        const tools = list(json, "tools") as ReadonlyArray<Record<string, unknown>>
        const ids = column(tools, "tool_call_id")
        assert.strictEqual(new Set([...ids, ""]).size, 3)
        assert.deepStrictEqual(
          column(list(json, "messages").at(-1) && list(list(json, "messages").at(-1), "tool_calls"), "id"),
          ids
        )
        const requirements = list(json, "requirements").map((each) => at(each, "tool_execution", "tool_call_id"))
        assert.deepStrictEqual(requirements, ids)
        const decisions = tools.map((tool) => ({ ...tool, confirmed: at(tool, "tool_args", "amount") === 10 }))
        const answer = yield* ask(server, "/agents/payer/runs/r/continue", {
          method: "POST",
          body: new URLSearchParams({ session_id: "s", stream: "false", tools: JSON.stringify(decisions) })
        })
        assert.deepInclude(answer.json, { status: "COMPLETED" })
        assert.deepStrictEqual(done, [10])
        const results = list(answer.json, "tools").map((tool) => at(tool, "result"))
        assert.deepStrictEqual(results, ["10 transferred", "Tool call was rejected"])
      }))
  }

  it.effect("calls have ids of their own in events and in the messages of the model", () =>
    Effect.gen(function*() {
      const { script, server } = yield* serving([transfer(1, "same"), transfer(2, "same")], [Script.text("Done.")])
      const answer = yield* ask(server, "/agents/payer/runs", {
        method: "POST",
        body: new URLSearchParams(fields)
      })
      const paused = frames(answer.text).at(-1)?.data
      const decisions = list(paused, "tools").map((tool) => ({ ...tool as object, confirmed: true }))
      yield* ask(server, "/agents/payer/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", tools: JSON.stringify(decisions) })
      })
      const ids = column(decisions, "tool_call_id")
      const prompt = JSON.stringify((yield* script.prompts)[1])
      for (const id of ids) assert.strictEqual(prompt.split(`"id":${JSON.stringify(id)}`).length - 1, 2, prompt)
    }))

  it.effect("calls keep their ids where these are unique in the run, and a later turn that repeats one gets another", () =>
    Effect.gen(function*() {
      const { done, server } = yield* serving(
        [transfer(1, "call_0")],
        [transfer(2, "call_0")],
        [Script.text("Done.")]
      )
      const proceed = (json: unknown) =>
        ask(server, "/agents/payer/runs/r/continue", {
          method: "POST",
          body: new URLSearchParams({
            session_id: "s",
            stream: "false",
            tools: JSON.stringify([{ ...list(json, "tools").at(-1) as object, confirmed: true }])
          })
        })
      const first = yield* runWhole(server, "payer", fields)
      assert.deepStrictEqual(column(list(first.json, "tools"), "tool_call_id"), ["call_0"])
      const second = yield* proceed(first.json)
      assert.notStrictEqual(at(second.json, "tools", 1, "tool_call_id"), "call_0")
      const third = yield* proceed(second.json)
      assert.deepInclude(third.json, { status: "COMPLETED" })
      assert.strictEqual(list(third.json, "requirements").length, 2)
      assert.deepStrictEqual(done, [1, 2])
    }))
})
