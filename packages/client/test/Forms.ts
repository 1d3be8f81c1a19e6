// Components that ask a person for values of each kind, and workflows that wait for other answers.
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import type { StepInput } from "@svc-runtime/agents/workflow/define/StepInput"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as ScriptedModel from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"

const schema = Schema.Struct({
  nullable: Schema.NullOr(Schema.String),
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

const filling = async ({ pause }: Pick<Durable, "pause">) => JSON.stringify(await pause({ question: "What?", schema }))

/** Its answer is what its tool got. */
export const formAgent = Effect.map(
  ScriptedModel.make([
    [ScriptedModel.toolCall("fill", {})],
    ({ prompt }) => {
      const part = prompt.content.at(-1)?.content[0]
      return [
        ScriptedModel.text(
          typeof part === "object" && part.type === "tool-result" ? String(part.result) : "nothing"
        )
      ]
    }
  ]),
  ({ model }) =>
    Agent.make({
      id: "form",
      model,
      tools: [Tool.make({ name: "fill", execute: (_, context) => filling(context) })]
    })
)

/** The second one also needs a confirmation. */
export const formWorkflows = [
  Workflow.make({ id: "form-function", steps: [(input: StepInput) => filling(input)] }),
  Workflow.make({
    id: "form-step",
    steps: [
      Step.make({
        name: "fill",
        confirmation: true,
        userInput: { schema },
        run: ({ userInput }) => JSON.stringify(userInput)
      })
    ]
  }),
  Workflow.make({
    id: "event",
    steps: [async ({ waitFor }: StepInput) => JSON.stringify(await waitFor("paid"))]
  }),
  Workflow.make({
    id: "twice",
    run: async ({ waitFor }) => `${String(await waitFor("paid"))} ${String(await waitFor("paid"))}`
  }),
  Workflow.make({
    id: "together",
    steps: [
      Parallel.make({
        name: "all",
        steps: ["a", "b", "c"].map((name) => Step.make({ name, confirmation: true, run: () => name }))
      })
    ]
  }),
  Workflow.make({
    id: "items",
    steps: [
      () => ["a", "b"],
      ForEach.make({
        name: "each",
        steps: [
          Step.make({
            name: "room",
            userInput: { schema: Schema.Struct({ room: Schema.String }) },
            run: ({ userInput }) => userInput.room
          })
        ]
      })
    ]
  }),
  Workflow.make({
    id: "broken",
    steps: [
      Step.make({ name: "asks", confirmation: true, run: () => "asked" }),
      Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
    ]
  }),
  Workflow.make({
    id: "events",
    steps: [
      Parallel.make({
        name: "all",
        steps: ["a", "b"].map((name) =>
          Step.make({ name, run: async ({ waitFor }) => `${name} ${String(await waitFor("paid"))}` })
        )
      })
    ]
  }),
  Workflow.make({
    id: "around",
    run: async ({ run }) => {
      const inner = Workflow.make({
        id: "inner",
        steps: [Step.make({ name: "asks", confirmation: true, run: () => "inner" })]
      })
      return `around ${String((await run(inner, "Go")).content)}`
    }
  }),
  Workflow.make({
    id: "routed",
    steps: [
      Router.make({
        name: "route",
        selection: true,
        choices: [
          Step.make({ name: "left", run: () => "left" }),
          Step.make({ name: "right", run: () => "right" })
        ]
      })
    ]
  })
]
