// A decision on a call whose outcome is unknown that is sent twice: the same one counts again beside the next decision,
// and another one is refused, wherever the call is and however it is named.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { type Answer, at, failed, get, list, post as postJson, serve, undecided } from "../Wire.ts"
import { post } from "./Flows.ts"

const paths = { agents: "/agents/a", teams: "/teams/t", steps: "/workflows/w", parallel: "/workflows/wide" } as const
type Kind = keyof typeof paths

type Sent = Readonly<Record<string, unknown>>

/** How a decision names its call. */
const names = {
  "in a call": (call: unknown, decision: Sent) => ({
    tool_execution: { tool_call_id: at(call, "tool_execution", "tool_call_id"), ...decision }
  }),
  "with its id": (call: unknown, decision: Sent) => ({ id: at(call, "id"), tool_execution: decision }),
  "as the run shows it": (call: unknown, decision: Sent) => ({
    ...call as Sent,
    tool_execution: { ...at(call, "tool_execution") as Sent, ...decision }
  })
} as const
type Name = keyof typeof names

interface Call {
  readonly call: unknown
  /** Of a workflow. */
  readonly step: unknown
}

const callsOf = (run: unknown): ReadonlyArray<Call> =>
  at(run, "step_requirements") === undefined
    ? list(run, "requirements").map((call) => ({ call, step: undefined }))
    : list(run, "step_requirements").flatMap((step) =>
      list(step, "executor_requirements").map((call) => ({ call, step }))
    )

const fields = { session_id: "s", stream: "false" }
const skip = { confirmed: false }

/** Calls `cut`, whose outcome is lost, and then `send`. */
const serving = Effect.fnUntraced(function*(kind: Kind, name: Name, options: object = {}) {
  const done: Array<string> = []
  const cut = Tool.make({
    name: "cut",
    ...options,
    execute: () => Effect.fail(new OutcomeLost({ message: "It was lost" }))
  })
  const send = Tool.make({ name: "send", requiresConfirmation: true, execute: () => (done.push("send"), "sent") })
  const { model } = yield* Script.make([
    [Script.toolCall("cut", {}, "cut_1")],
    [Script.toolCall("send", {}, "send_1")],
    [Script.text("Done.")]
  ])
  const leader = yield* Script.make([
    [Script.toolCall("delegate_task_to_member", { member_id: "a", task: "go" }, "d")],
    [Script.text("Done.")]
  ])
  const agent = Agent.make({ id: "a", model, tools: [cut, send] })
  const server = yield* serve({
    agents: [agent],
    teams: [Team.make({ id: "t", model: leader.model, members: [agent] })],
    workflows: [
      Workflow.make({ id: "w", steps: [agent] }),
      Workflow.make({ id: "wide", steps: [Parallel.make({ name: "all", steps: [agent] })] })
    ]
  })
  const runs = `${paths[kind]}/runs`
  yield* post(server, runs, { ...fields, message: "go", run_id: "r" })
  const read = Effect.map(get(server, `${runs}/r?session_id=s`), ({ json }) => json)
  const waiting = (tool: string) =>
    Effect.map(
      read,
      (run) =>
        callsOf(run).findLast(({ call }) => at(call, "tool_execution", "tool_name") === tool) ?? assert.fail(tool)
    )
  const decide = (...decisions: ReadonlyArray<readonly [Call, Sent]>): Effect.Effect<Answer> => {
    const sent = decisions.map(([{ call, step }, decision]) => ({ call: names[name](call, decision), step }))
    const lists = kind === "steps" || kind === "parallel"
      ? { step_requirements: sent.map(({ call, step }) => ({ ...step as Sent, executor_requirements: [call] })) }
      : { requirements: sent.map(({ call }) => call) }
    const [[field, all]] = Object.entries(lists) as [[string, unknown]]
    return post(server, `${runs}/r/continue`, { ...fields, [field]: JSON.stringify(all) })
  }
  return { decide, done, read, server, waiting }
})

const kinds = Object.keys(paths) as ReadonlyArray<Kind>
const all = kinds.flatMap((kind) => (Object.keys(names) as ReadonlyArray<Name>).map((name) => [kind, name] as const))

describe("a decision on a call whose outcome is unknown", () => {
  it.effect.each(Tier.ofEach(all, 2, ([kind]) => kind))(
    "the same decision counts again: %s, %s",
    ([kind, name]) =>
      Effect.gen(function*() {
        const { decide, done, waiting } = yield* serving(kind, name)
        const cut = yield* waiting("cut")
        const { json, text } = yield* decide([cut, skip])
        assert.strictEqual(at(json, "status"), "PAUSED", text)
        const send = yield* waiting("send")
        failed(yield* decide([cut, skip]), 409, "CONFLICT", /does not wait for requirement/)
        const others = [{ confirmed: true }, { result: "It was cut" }]
        for (const other of others) {
          failed(
            yield* decide([cut, other], [send, { confirmed: true }]),
            409,
            "CONFLICT",
            /does not wait for requirement/
          )
        }
        assert.deepStrictEqual(done, [])
        const ended = yield* decide([cut, skip], [send, { confirmed: true }])
        assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
        assert.deepStrictEqual(done, ["send"])
      })
  )

  it.effect.each(kinds)(
    "a decision without the id of its question is refused, if the call was decided before: %s",
    (kind) =>
      Effect.gen(function*() {
        const { decide, read, server, waiting } = yield* serving(kind, "in a call", { approval: "required" })
        const id = String(at((yield* get(server, "/approvals")).json, "data", 0, "id"))
        yield* postJson(server, `/approvals/${id}/resolve`, { status: "approved" })
        const isUnknown = (run: unknown) => JSON.stringify(run).includes("outcome_unknown")
        yield* Effect.repeat(read, { until: isUnknown, times: 1000 })
        const cut = yield* waiting("cut")
        undecided(
          yield* decide([cut, skip]),
          new RegExp(`send the id of its requirement \\('${String(at(cut.call, "id"))}`)
        )
      })
  )
})
