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
    assert.throws(
      () => answer(waiting, { "1": "monday" }),
      "The call '1' takes an object with 'day', and was given 'monday'"
    )
  })

  it("a call that takes no values is not confirmed by an empty object, and the others are not with it", () => {
    for (const run of [agent, flow]) {
      const waiting = run(call("1", { requires_confirmation: true }), call("2", {}), asking("3", ["day"])) as PausedRun
      for (const own of [{}, { day: "monday" }, true, false, null]) {
        for (const key of ["1", "of 1", "2"]) {
          assert.throws(
            () => answer(waiting, { "3": { day: "monday" }, [key]: own }),
            `The call '${key}' takes no values. Leave it out, and the answer confirms it, as approve(run) does. To ` +
              "decline it, send what reject({ requirements: [requirement] }) gives for it"
          )
        }
      }
      assert.include(JSON.stringify(answer(waiting, { day: "monday" })), "\"confirmation\":true")
    }
  })

  it("what is given to a call twice is refused", () => {
    for (const run of [agent, flow]) {
      const waiting = run(asking("1", ["a", "b"]), external("2"), asking("3", ["a"])) as PausedRun
      const same = (id: string) => `'${id}' and 'of ${id}' are the same call. Give what is for it under one of them`
      assert.throws(() => answer(waiting, { "1": { a: "A" }, "of 1": { b: "B" } }), same("1"))
      assert.throws(() => answer(waiting, { "1": { a: "A" }, "of 1": { a: "A" } }), same("1"))
      assert.throws(() => answer(waiting, { "2": "x", "of 2": "y" }), same("2"))
      assert.throws(
        () => answer(waiting, { "1": { a: "A" }, "3": { a: "A" }, a: "C" }),
        "Each call that asks for 'a' is given its own. Leave out the other"
      )
      assert.throws(
        () => answer(waiting, { "2": "x" }, { result: "y" }),
        "Each call that asks for a result is given its own. Leave out the other"
      )
    }
  })

  it("null is a result of its own", () => {
    const waiting = agent(external("1"), external("2"))
    assert.deepStrictEqual(
      (answer(waiting, { "1": null }, { result: "r" }).requirements as ReadonlyArray<Record<string, unknown>>)
        .map((each) => each["external_execution_result"]),
      ["null", "r"]
    )
  })

  it("an object without fields is not taken for the values of a call", () => {
    const waiting = agent(asking("1", ["day"]))
    const other = "The call '1' takes an object with 'day', and was given"
    const given: ReadonlyArray<readonly [value: unknown, text: string]> = [
      [new Map([["day", "monday"]]), "a Map. Write Object.fromEntries(…) around it"],
      [new Set(["monday"]), "a Set. Write [...…] around it"],
      [new Date(0), "a Date"],
      [new Headers({ day: "monday" }), "a Headers"],
      [new (class {})(), "an instance of a class without a name"],
      [["monday"], "a list"],
      [null, "null"]
    ]
    for (const [value, text] of given) {
      assert.throws(() => answer(waiting, { "1": value as never }), `${other} ${text}`)
    }
    const result = agent(external("1"))
    assert.include(JSON.stringify(answer(result, { "1": new Date(0) as never })), "1970-01-01T00:00:00.000Z")
    assert.throws(() => answer(result, { "1": new Map([["day", "monday"]]) as never }), "which is a Map")
  })

  it("a key is the id of a call or the name of a field, and not both", () => {
    for (const run of [agent, flow]) {
      const named = run(asking("day", ["day"]), asking("2", ["day"])) as PausedRun
      assert.deepStrictEqual(valuesIn(answer(named, { day: { day: "monday" } })), ["\"monday\""])
      assert.deepStrictEqual(valuesIn(answer(named, { day: { day: "monday" }, "2": { day: "friday" } })), [
        "\"monday\"",
        "\"friday\""
      ])
      assert.throws(() => answer(named, { day: "monday" }), "Several calls ask for 'day': book (day), book (2)")
      assert.deepStrictEqual(valuesIn(answer(run(asking("day", ["day"])) as PausedRun, { day: "monday" })), [
        "\"monday\""
      ])
      const result = run(external("day"), asking("2", ["day"])) as PausedRun
      assert.throws(
        () => answer(result, { day: "monday" }),
        "'day' is the id of a call, and the name of a field. Name the call 'of day'"
      )
      assert.deepStrictEqual(valuesIn(answer(result, { day: "monday", "of day": "x" })), ["\"x\"", "\"monday\""])
    }
  })

  it("the field of a step does not get what is for a call", () => {
    const fields = [{ name: "day", value: null }]
    const steps = [
      { id: "p", step_name: "plan", resolved: false, requires_user_input: true, user_input_schema: fields },
      ...flow(asking("day", ["day"])).step_requirements
    ]
    const sent = answer({ status: "PAUSED", step_requirements: steps }, { day: { day: "monday" } })
    assert.deepStrictEqual(sent.step_requirements?.map((step) => (step as { user_input?: object }).user_input), [
      {},
      undefined
    ])
    assert.deepStrictEqual(valuesIn(sent), ["\"monday\""])
  })
})
