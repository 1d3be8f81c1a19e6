// The blocks of docs/migrate.
declare const forecast: (city: string) => Promise<string>
declare const pay: (order: string, key: string) => Promise<string>

// #region
import { Agent, serve, Tool } from "@svc-runtime/server"
import { z } from "zod"

const weather = Tool.make({
  name: "weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  effects: "read",
  execute: ({ city }) => forecast(city)
})

const assistant = Agent.make({
  id: "assistant",
  instructions: "Answer in one sentence.",
  model: "openai:gpt-5",
  tools: [weather],
  addHistoryToContext: true
})

serve({ agents: [assistant] })
// #endregion

// #region
const run = await assistant.run({ message: "How is it in Paris?", session_id: "first" })
console.log(run.text)

for await (const event of assistant.stream("And in Rome?")) {
  if (event.event === "RunContent") process.stdout.write(event.text)
}
// #endregion

// #region
import { Condition, Loop, Parallel, Step, type StepInput, Workflow } from "@svc-runtime/server"

const check = Step.make({ name: "check", effects: "read", run: ({ input }) => String(input).length })
const price = Step.make({ name: "price", effects: "read", run: () => 1200 })

const order = Workflow.make({
  id: "order",
  steps: [
    Parallel.make({ name: "facts", steps: [check, price] }),
    Condition.make({
      name: "expensive",
      evaluator: ({ input }: StepInput<{ price: number }>) => input.price > 1000,
      steps: [
        Step.make({
          name: "approve",
          userInput: { message: "Who pays?", schema: z.object({ account: z.string() }) },
          run: ({ userInput }) => userInput.account
        })
      ],
      elseSteps: [() => "the shop"]
    }),
    Step.make({
      name: "pay",
      effects: "idempotent",
      run: ({ effectId, input }) => pay(String(input), effectId)
    })
  ]
})
// #endregion

// #region
import { approve } from "@svc-runtime/client"

const refund = Tool.make({
  name: "refund",
  parameters: z.object({ order: z.int() }),
  requiresConfirmation: true,
  execute: ({ order }, { effectId }) => pay(String(order), effectId)
})
const clerk = Agent.make({ id: "clerk", tools: [refund] })

const paused = await clerk.run({ message: "Refund order 17", session_id: "refunds" })
if (paused.status === "PAUSED") await clerk.continue(paused, approve(paused))
// #endregion

// #region
const writer = Agent.make({ id: "writer", instructions: "Write or improve the text." })

const draft = Workflow.make({
  id: "draft",
  steps: [
    Loop.make({
      name: "until-short",
      maxIterations: 5,
      endCondition: ([text]) => String(text?.content).length < 500,
      steps: [Step.make({ name: "write", agent: writer })]
    }),
    Step.make({
      name: "title",
      run: async ({ input, pause }: StepInput) => {
        const { title } = await pause({ question: "Which title?", schema: z.object({ title: z.string() }) })
        return `${title}\n\n${String(input)}`
      }
    })
  ]
})
// #endregion

// #region
import { openai } from "@ai-sdk/openai"
import { AiSdkTool } from "@svc-runtime/server"
import { tool } from "ai"

const time = tool({
  description: "The time in a city",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `It is noon in ${city}`
})

const host = Agent.make({
  id: "host",
  model: openai("gpt-5"),
  tools: [AiSdkTool.make("time", time, { effects: "read" })]
})
// #endregion

// #region
import { Team } from "@svc-runtime/server"

const researcher = Agent.make({ id: "researcher", role: "Finds facts" })
const editor = Agent.make({ id: "editor", role: "Writes texts" })
const newsroom = Team.make({ id: "newsroom", members: [researcher, editor], instructions: "Write an article." })
// #endregion

export { draft, host, newsroom, order }
