// A component for each kind of pause, with an answer that lets its run complete.
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import type { StepInput } from "@svc-runtime/agents/workflow/define/StepInput"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { always } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"

const parameters = Schema.Struct({ to: Schema.String })
const execute = ({ to }: { readonly to: string }) => `sent to ${to}`

const confirmed = Tool.make({ name: "send", requiresConfirmation: true, parameters, execute })
const filled = Tool.make({ name: "send", requiresUserInput: ["to"], parameters, execute })
const external = Tool.make({ name: "send", externalExecution: true, parameters })

const asking = Tool.make({ name: "send", parameters, execute: (_, { pause }) => pause({ question: "Whom to?" }) })
const awaiting = Tool.make({ name: "send", parameters, execute: (_, { waitFor }) => waitFor("paid") })

const calling = Effect.fnUntraced(function*(id: string, tool: Tool.Tool) {
  const { model } = yield* toolUser(Script.toolCall("send", { to: "ann" }, `call-${id}`))
  return Agent.make({ id, model, tools: [tool] })
})

const step = (name: string, options: object = {}) => Step.make({ name, run: () => `${name} done`, ...options } as never)

/** The payload that answers the pause, in the form of its schema. */
export interface Pausing {
  readonly kind: "agents" | "teams" | "workflows"
  readonly id: string
  readonly payload: unknown
  /** A text in the result of the run. */
  readonly result: string
}

export const pausing: ReadonlyArray<Pausing> = [
  { kind: "agents", id: "confirmation", payload: { accepted: true }, result: "Tea is a leaf." },
  { kind: "agents", id: "input", payload: { values: { to: "bob" } }, result: "Tea is a leaf." },
  { kind: "agents", id: "external", payload: { result: "sent elsewhere" }, result: "Tea is a leaf." },
  { kind: "agents", id: "function", payload: { values: { answer: "bob" } }, result: "Tea is a leaf." },
  { kind: "agents", id: "event", payload: { result: "12" }, result: "Tea is a leaf." },
  { kind: "teams", id: "member", payload: { accepted: true }, result: "All sent." },
  { kind: "workflows", id: "step", payload: { accepted: true }, result: "last done" },
  { kind: "workflows", id: "values", payload: { values: { topic: "tea" } }, result: "last done" },
  { kind: "workflows", id: "route", payload: { choices: ["left"] }, result: "last done" },
  { kind: "workflows", id: "review", payload: { accepted: true, output: "better" }, result: "last done" },
  { kind: "workflows", id: "failing", payload: { decision: "skip" }, result: "last done" },
  { kind: "workflows", id: "executor", payload: { accepted: true }, result: "last done" },
  { kind: "workflows", id: "step-function", payload: { values: { answer: "tea" } }, result: "last done" },
  { kind: "workflows", id: "step-event", payload: { result: "12" }, result: "last done" }
]

export const components = Effect.gen(function*() {
  const member = yield* calling("payer", confirmed)
  const leader = yield* Script.make(
    Array.from(
      { length: 99 },
      () => ({ prompt }: Script.Call) =>
        prompt.content.at(-1)?.role === "tool"
          ? [Script.text("All sent.")]
          : [Script.toolCall("delegate_task_to_member", { member_id: "payer", task: "send" }, "call-member")]
    )
  )
  const last = step("last")
  const failing = Step.make({
    name: "fails",
    onError: "pause",
    run: () => {
      throw new Error("no luck")
    }
  })
  const workflow = (id: string, ...steps: ReadonlyArray<unknown>) =>
    Workflow.make({ id, steps: [...steps, last] as never })
  const executor = yield* calling("sender", confirmed)
  return {
    agents: [
      yield* calling("confirmation", confirmed),
      yield* calling("input", filled),
      yield* calling("external", external),
      yield* calling("function", asking),
      yield* calling("event", awaiting)
    ],
    teams: [Team.make({ id: "member", model: leader.model, members: [member] })],
    workflows: [
      workflow("step", step("ask", { confirmation: { message: "Sure?" } })),
      workflow("values", step("ask", { userInput: { schema: Schema.Struct({ topic: Schema.String }) } })),
      workflow("route", Router.make({ name: "way", choices: [step("left"), step("right")], selection: true } as never)),
      workflow("review", step("draft", { outputReview: { message: "Good?" } })),
      workflow("failing", failing),
      workflow("executor", Step.make({ name: "send", agent: executor })),
      workflow("step-function", step("ask", { run: ({ pause }: StepInput) => pause({ question: "Which?" }) })),
      workflow("step-event", step("ask", { run: ({ waitFor }: StepInput) => waitFor("paid") }))
    ]
  }
})

/** A workflow whose steps have agents, which speak before its answer. */
export const speaking = Effect.gen(function*() {
  const { model } = yield* always(Script.text("I am", " here."))
  const speaker = Agent.make({ id: "speaker", name: "Speaker", model })
  return Workflow.make({ id: "speaking", steps: [Step.make({ name: "speak", agent: speaker }), step("last")] as never })
})
