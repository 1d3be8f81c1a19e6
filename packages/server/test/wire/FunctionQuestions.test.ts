// Questions of functions over HTTP: of a tool and of a step. A wrong answer is refused, and nothing is lost.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import type { StepInput } from "@svc-runtime/agents/workflow/define/StepInput"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, at, get, list, serve, undecided } from "../Wire.ts"

Tier.oneIn(4)

const schema = Schema.Struct({
  count: Schema.Int.check(Schema.isGreaterThan(0)),
  of: Schema.Array(Schema.String)
})

const order = async ({ pause }: Pick<Durable, "pause">) => {
  const { count, of } = await pause({ question: "How many?", schema })
  return `${count} of ${of.join(" and ")}`
}

const ofTool = Effect.gen(function*() {
  const tool = Tool.make({ name: "order", execute: (_, context) => order(context) })
  const { model } = yield* Script.make([[toolCall("order", {})], [text("Ordered.")]])
  return { path: "/agents/desk/runs", parts: { agents: [Agent.make({ id: "desk", model, tools: [tool] })] } }
})

const ofStep = Effect.sync(() => ({
  path: "/workflows/flow/runs",
  parts: { workflows: [Workflow.make({ id: "flow", steps: [(input: StepInput) => order(input)] })] }
}))

/** The decision as clients of each kind send it. */
const decisionOf = (run: unknown, values: Readonly<Record<string, unknown>>) => {
  const steps = at(run, "step_requirements")
  if (steps !== undefined) return { ...list(steps).at(-1) as object, user_input: values }
  const user_input_schema = Object.entries(values).map(([name, value]) => ({ name, value }))
  return { id: at(list(run, "requirements").at(-1), "id"), user_input_schema }
}

describe.each([["a tool", ofTool], ["a step", ofStep]] as const)("a question of %s", (_, making) => {
  it.effect("values that do not fit are refused with 422 and the reason, and right ones continue the run", () =>
    Effect.gen(function*() {
      const { parts, path } = yield* making
      const server = yield* serve(parts)
      const send = (to: string, fields: Readonly<Record<string, string>>) =>
        ask(server, to, { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) })
      const { json } = yield* send(path, { message: "go", run_id: "r" })
      assert.strictEqual(at(json, "status"), "PAUSED", JSON.stringify(json))
      const answer = (values: Readonly<Record<string, unknown>>) =>
        send(`${path}/r/continue`, { requirements: JSON.stringify([decisionOf(json, values)]) })
      for (
        const [values, reason] of [
          [{ count: 0, of: ["tea"] }, /count/],
          [{ count: 2, of: [1] }, /of/],
          [{ count: 2 }, /of|unresolved/i]
        ] as const
      ) {
        const refused = yield* answer(values)
        undecided(refused, reason)
        assert.strictEqual(at((yield* get(server, `${path}/r?session_id=s`)).json, "status"), "PAUSED")
      }
      const ended = yield* answer({ count: 2, of: ["tea", "milk"] })
      assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
      assert.include((yield* get(server, `${path}/r?session_id=s`)).text, "2 of tea and milk")
    }))
})

/** Each kind of a value: what is sent, what the function gets, and what does not fit. */
const kinds: Readonly<Record<string, readonly [given: unknown, got: unknown, wrong: unknown]>> = {
  nullable: ["a note", "a note", 7],
  empty: [null, null, "seven"],
  size: ["L", "L", "M"],
  choice: ["many", "many", 2],
  either: [7, 7, true],
  list: [["a", "b"], ["a", "b"], ["a", 1]],
  nested: [{ at: { x: 1 } }, { at: { x: 1 } }, { at: { x: "one" } }],
  number: [1.5, 1.5, "much"],
  whole: [7, 7, 1.5],
  date: ["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.000Z", "tomorrow"],
  yes: [false, false, "maybe"]
}

const form = Schema.Struct({
  nullable: Schema.NullOr(Schema.String),
  empty: Schema.NullOr(Schema.Int),
  size: Schema.Literals(["S", "L"]),
  choice: Schema.Union([Schema.Literal(1), Schema.Literal("many")]),
  either: Schema.Union([Schema.Finite, Schema.String]),
  list: Schema.Array(Schema.String),
  nested: Schema.Struct({ at: Schema.Struct({ x: Schema.Finite }) }),
  number: Schema.Finite,
  whole: Schema.Int,
  date: Schema.DateTimeUtcFromString,
  yes: Schema.Boolean,
  optional: Schema.optionalKey(Schema.String)
})

const filling = async ({ pause }: Pick<Durable, "pause">) => {
  const values = await pause({ question: "What?", schema: form })
  return JSON.stringify(values)
}

const forms = {
  "a tool": Effect.gen(function*() {
    const tool = Tool.make({ name: "fill", execute: (_, context) => filling(context) })
    const { model } = yield* Script.make([[toolCall("fill", {})], [text("Filled.")]])
    return { path: "/agents/desk/runs", parts: { agents: [Agent.make({ id: "desk", model, tools: [tool] })] } }
  }),
  "the function of a step": Effect.sync(() => ({
    path: "/workflows/flow/runs",
    parts: { workflows: [Workflow.make({ id: "flow", steps: [(input: StepInput) => filling(input)] })] }
  })),
  "a step": Effect.sync(() => {
    const step = Step.make({
      name: "fill",
      userInput: { schema: form },
      run: ({ userInput }) => JSON.stringify(userInput)
    })
    return { path: "/workflows/flow/runs", parts: { workflows: [Workflow.make({ id: "flow", steps: [step] })] } }
  })
}

describe.each(Object.entries(forms))("the values of a form of %s", (_, making) => {
  it.effect("each kind of a value is accepted, also as a text of JSON, and a wrong one leaves the run paused", () =>
    Effect.gen(function*() {
      const { parts, path } = yield* making
      const server = yield* serve(parts)
      const send = (to: string, fields: Readonly<Record<string, string>>) =>
        ask(server, to, { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) })
      const stored = get(server, `${path}/r?session_id=s`)
      const answer = (values: Readonly<Record<string, unknown>>) =>
        Effect.flatMap(
          stored,
          ({ json }) => send(`${path}/r/continue`, { requirements: JSON.stringify([decisionOf(json, values)]) })
        )
      const right = Object.fromEntries(Object.entries(kinds).map(([name, [given]]) => [name, given]))
      yield* send(path, { message: "go", run_id: "r" })
      for (const [name, [, , wrong]] of Object.entries(kinds)) {
        const { text } = yield* answer({ ...right, [name]: wrong })
        assert.include(text, name)
        assert.strictEqual(at((yield* stored).json, "status"), "PAUSED", name)
      }
      const texts = Object.entries(right).map(([name, value]) => [name, value === null ? null : JSON.stringify(value)])
      const ended = yield* answer({
        ...Object.fromEntries(texts),
        nullable: "a note",
        size: "L",
        choice: "many",
        date: right["date"],
        either: 7
      })
      assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
      const got = JSON.stringify(Object.fromEntries(Object.entries(kinds).map(([name, [, value]]) => [name, value])))
      assert.include((yield* stored).text, JSON.stringify(got).slice(1, -1))
    }))
})
