// Questions of functions over HTTP: of a tool and of a step. A wrong answer is refused, and nothing is lost.
import { assert, describe, it } from "@effect/vitest"
import type { StepInput } from "@svc-runtime/agents/workflow/define/StepInput"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { ask, at, get, list, serve, undecided } from "../Wire.ts"

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
  if (steps !== undefined) return { step_id: at(list(steps).at(-1), "step_id"), user_input: values }
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
