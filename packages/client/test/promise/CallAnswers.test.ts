// Answers to several calls of one agent that ask for the same: each call gets its own by its id.
import { assert, describe, it } from "@effect/vitest"
import { answer, type PausedRun } from "@svc-runtime/client"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { withSvc } from "./Served.ts"

const call = (tool_call_id: string, fields: object, id = `of ${tool_call_id}`) => ({
  id,
  tool_execution: { tool_call_id, tool_name: "book", ...fields }
})
const asking = (tool_call_id: string, names: ReadonlyArray<string>, id?: string) =>
  call(tool_call_id, { requires_user_input: true, user_input_schema: names.map((name) => ({ name, value: null })) }, id)
const external = (tool_call_id: string) => call(tool_call_id, { external_execution_required: true })
const agent = (...requirements: ReadonlyArray<object>): PausedRun => ({ status: "PAUSED", requirements })
const flow = (...executor_requirements: ReadonlyArray<object>) => ({
  status: "PAUSED",
  step_requirements: [{ id: "q", step_id: "s", resolved: false, requires_executor_input: true, executor_requirements }]
})

const valuesIn = (sent: object) =>
  JSON.stringify(sent).match(/"(?:value|external_execution_result)":(?:"[^"]*"|[^,}]+)/g)?.map((each) =>
    each.replace(/^.*":/, "")
  ).filter((value) => value !== "null")

describe("an answer to several calls that ask for the same", () => {
  it.live("each call is made with the values under its id", () =>
    Effect.gen(function*() {
      const booked: Array<unknown> = []
      const book = Tool.make({
        name: "book",
        parameters: Schema.Struct({ room: Schema.String, day: Schema.String }),
        requiresUserInput: ["day"],
        execute: (args) => (booked.push(args), "booked")
      })
      const { model } = yield* Script.make([
        [Script.toolCall("book", { room: "a" }, "book_1"), Script.toolCall("book", { room: "b" }, "book_2")],
        [Script.text("Done.")]
      ])
      yield* withSvc({ agents: [Agent.make({ id: "desk", model, tools: [book] })] }, async (svc) => {
        const desk = svc.agent("desk")
        const paused = await desk.run("Go")
        assert.throws(
          () => answer(paused, { day: "monday" }),
          "Several calls ask for 'day': book (book_1), book (book_2). Give each its own under its id, such as " +
            `{"book_1": {"day": …}}`
        )
        const done = await desk.continue(
          paused,
          answer(paused, { book_1: { day: "monday" }, book_2: { day: "friday" } })
        )
        assert.strictEqual(done.status, "COMPLETED")
        assert.deepStrictEqual(booked, [{ room: "a", day: "monday" }, { room: "b", day: "friday" }])
      })
    }))

  it("a name that only one call asks for, or is left for one, needs no id", () => {
    for (const run of [agent, flow]) {
      const waiting = run(asking("1", ["day", "size"]), asking("2", ["day"])) as PausedRun
      assert.deepStrictEqual(valuesIn(answer(waiting, { day: "monday", size: 4, "2": { day: "friday" } })), [
        "\"monday\"",
        "4",
        "\"friday\""
      ])
    }
  })

  it("calls with one id are named by the ids of their requirements", () => {
    const waiting = agent(asking("1", ["day"], "x"), asking("1", ["day"], "y"))
    assert.throws(() => answer(waiting, { day: "monday" }), `'day': book (x), book (y). Give each its own`)
    assert.throws(() => answer(waiting, { "1": { day: "monday" } }), `'1': book (x), book (y). Give each its own`)
    assert.deepStrictEqual(valuesIn(answer(waiting, { x: { day: "monday" }, y: { day: "friday" } })), [
      "\"monday\"",
      "\"friday\""
    ])
  })

  it("each call that is executed elsewhere gets its result under its id", () => {
    const waiting = agent(external("1"), external("2"))
    assert.throws(
      () => answer(waiting, undefined, { result: "x" }),
      "Several calls ask for a result: book (1), book (2)"
    )
    assert.deepStrictEqual(valuesIn(answer(waiting, { "1": "x", "2": "y" })), ["\"x\"", "\"y\""])
    assert.deepStrictEqual(valuesIn(answer(waiting, { "1": "x" }, { result: "y" })), ["\"x\"", "\"y\""])
  })

  it("what the call does not ask for is refused", () => {
    const waiting = agent(asking("1", ["day"]), asking("2", ["day"]))
    assert.throws(
      () => answer(waiting, { "1": { dya: "monday" } }),
      "The call '1' takes no 'dya'. It takes an object with 'day'"
    )
    assert.throws(() => answer(waiting, { "1": "monday" }), "The call '1' takes no '1'. It takes an object with 'day'")
  })
})
