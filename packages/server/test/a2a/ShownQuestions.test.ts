// Answers that name no question, after something was decided elsewhere: the client was not shown what waits now.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { ask, at, list, post, serve } from "../Wire.ts"
import { current, message } from "./Requests.ts"

/** An agent with one order after the other, and a workflow with both at once. */
const orders = Effect.gen(function*() {
  const made: Array<unknown> = []
  const order = Tool.make({
    name: "order",
    requiresConfirmation: true,
    parameters: Schema.Struct({ of: Schema.String }),
    execute: ({ of }) => (made.push(of), "ordered")
  })
  const call = (of: string) => [Script.toolCall("order", { of }, of)]
  const agent = (id: string, ...turns: ReadonlyArray<Script.Turn>) =>
    Effect.map(
      Script.make([...turns, [Script.text("Done.")]]),
      ({ model }) => Agent.make({ id, model, tools: [order] })
    )
  const [first, second] = [yield* agent("first", call("tea")), yield* agent("second", call("jam"))]
  const server = yield* serve({
    agents: [yield* agent("both", call("tea"), call("jam"))],
    workflows: [
      Workflow.make({
        id: "both",
        steps: [Parallel.make({
          name: "both",
          steps: [Step.make({ name: "first", agent: first }), Step.make({ name: "second", agent: second })]
        })]
      })
    ]
  })
  return { made, server }
})

describe.each(["agents", "workflows"] as const)("a bare answer to a task of kind %s", (kind) => {
  const begun = Effect.gen(function*() {
    const { made, server } = yield* orders
    const send = (body: object) =>
      ask(server, `/a2a/${kind}/both/message:send`, { method: "POST", headers: current, body: JSON.stringify(body) })
    const { json, text } = yield* send(message())
    const [taskId, contextId] = [at(json, "task", "id"), at(json, "task", "contextId")]
    assert.include(text, "TASK_STATE_INPUT_REQUIRED")
    let sent = 1
    const answer = (...parts: ReadonlyArray<object>) =>
      send(message({ messageId: `m${++sent}`, taskId, contextId, parts }))
    const path = `/${kind}/both/runs/${String(taskId)}`
    const shown = (answered: unknown) =>
      list(answered, "task", "status", "message", "parts").flatMap((part) => at(part, "data", "id") ?? [])
    /** Rejects what the client was shown. */
    const rejectElsewhere = Effect.gen(function*() {
      const { json: run } = yield* ask(server, `${path}?session_id=${String(contextId)}`)
      const step = (at(run, "step_requirements") as ReadonlyArray<unknown> | undefined)?.at(-1)
      const [call] = step === undefined ? list(run, "requirements") : list(step, "executor_requirements")
      const rejected = [{ id: at(call, "id"), confirmed: false }]
      const requirements = step === undefined
        ? rejected
        : [{ id: at(step, "id"), step_id: at(step, "step_id"), executor_requirements: rejected }]
      const { status, text } = yield* post(server, `${path}/continue`, {
        session_id: contextId,
        stream: false,
        requirements
      })
      assert.strictEqual(status, 200, text)
    })
    const read = ask(server, `/a2a/${kind}/both/tasks/${String(taskId)}`, { headers: current })
    return { answer, made, read: Effect.map(read, ({ json }) => shown({ task: json })), rejectElsewhere }
  })

  it.effect("a bare answer counts for one question after the other", () =>
    Effect.gen(function*() {
      const { answer, made } = yield* begun
      assert.include((yield* answer({ text: "yes" })).text, "TASK_STATE_INPUT_REQUIRED")
      assert.include((yield* answer({ data: { accepted: true } })).text, "TASK_STATE_COMPLETED")
      assert.sameMembers(made, ["tea", "jam"])
    }))

  for (const part of [{ text: "yes" }, { text: "no" }, { data: { accepted: true } }, { raw: "aGk=", filename: "a" }]) {
    it.effect(`the answer ${JSON.stringify(part)} is refused if the shown question was decided elsewhere`, () =>
      Effect.gen(function*() {
        const { answer, made, read, rejectElsewhere } = yield* begun
        yield* rejectElsewhere
        const [id] = yield* read
        const refused = yield* answer(part)
        assert.strictEqual(refused.status, 400, refused.text)
        assert.include(
          refused.text,
          `Something was decided elsewhere since the last message (open: order as '${String(id)}')`
        )
        assert.deepStrictEqual([made, yield* read], [[], [id]])
        assert.include((yield* answer({ data: { id, accepted: true } })).text, "TASK_STATE_COMPLETED")
        assert.lengthOf(made, 1)
      }))
  }
})
