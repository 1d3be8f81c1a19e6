// The service of `npm start`: an agent with four tools, one with an approval, that also answers from what is uploaded,
// a factory that makes an agent for each tenant, a workflow, and a team. Without a key they use the demo model, which
// is enough to see tools, approvals, sessions, event streams and searches at work.
import {
  Agent,
  AgentFactory,
  Condition,
  Knowledge,
  Loop,
  Parallel,
  serve,
  Step,
  type StepInput,
  Team,
  Tool,
  Workflow
} from "@svc-runtime/server"
import { z } from "zod"

const time = Tool.make({
  name: "get_time",
  description: "The current date and time in a time zone",
  parameters: z.object({ timezone: z.string().describe("IANA name, for example Europe/Paris") }),
  execute: ({ timezone }) => new Date().toLocaleString("en-GB", { timeZone: timezone, timeZoneName: "short" })
})

const operations: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right
}
const signs: Readonly<Record<string, string>> = { plus: "+", minus: "-", times: "*", "divided by": "/" }

const calculate = Tool.make({
  name: "calculate",
  description: "Adds, subtracts, multiplies or divides two numbers",
  parameters: z.object({ expression: z.string().describe("For example 17 * 23, or 17 times 23") }),
  execute: ({ expression }) => {
    const found = /(-?[\d.]+)\s*(plus|minus|times|divided by|[-+*/])\s*(-?[\d.]+)/.exec(expression)
    if (found === null) throw new Error("Give two numbers and one of + - * / between them")
    const [, left, word = "", right] = found
    return operations[signs[word] ?? word]?.(Number(left), Number(right))
  }
})

const remember = Tool.make({
  name: "remember",
  description: "Keeps a note in the state of the session",
  parameters: z.object({ note: z.string() }),
  execute: ({ note }, { sessionState }) => {
    const notes = Array.isArray(sessionState["notes"]) ? sessionState["notes"] : []
    sessionState["notes"] = [...notes, note]
    return `Kept. There are ${notes.length + 1} notes now.`
  }
})

const order = Tool.make({
  name: "order",
  description: "Orders something from the shop, once a person has approved it",
  parameters: z.object({ item: z.string() }),
  approval: "required",
  execute: ({ item }) => `Ordered: ${item}`
})

export const documents = Knowledge.make({ name: "documents", description: "What was uploaded to the quickstart" })

export const assistant = Agent.make({
  id: "assistant",
  name: "Assistant",
  description: "Answers questions, also from uploaded documents, calculates, keeps notes, and orders what is approved.",
  instructions: [
    "Answer briefly and to the point.",
    "Use a tool when it knows better than you: for the time, for arithmetic, for notes, for orders, and for uploaded documents."
  ],
  tools: [time, calculate, remember, order],
  knowledge: documents,
  addHistoryToContext: true,
  markdown: true
})

export const tenantAssistant = AgentFactory.make({
  id: "tenant-assistant",
  name: "Tenant assistant",
  description: "Speaks for the tenant that the request names.",
  inputSchema: z.object({ tenant: z.string().min(1).max(100) }),
  build: ({ input }) => {
    const tenant = input?.tenant ?? "the service"
    const greet = Tool.make({
      name: "greet",
      description: "Says hello in the name of the tenant",
      execute: () => `Welcome to ${tenant}.`
    })
    return Agent.make({
      id: "tenant-assistant",
      name: `Assistant of ${tenant}`,
      instructions: `You speak for ${tenant} only.`,
      tools: [greet],
      addHistoryToContext: true
    })
  }
})

const textOf = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value)

const angle = <const Name extends string>(name: Name, question: string) =>
  Step.make({ name, effects: "read", run: ({ input }) => `${question} ${textOf(input)}?` })

const what = angle("what", "What is")
const why = angle("why", "Who needs")

export const brief = Workflow.make({
  id: "brief",
  name: "Brief",
  description: "Looks at a topic from two sides at once, and shortens what comes out until it fits.",
  steps: [
    Step.make({ name: "topic", effects: "read", run: ({ input }) => textOf(input).trim() }),
    Parallel.make({ name: "angles", steps: [what, why] }),
    Step.make({
      name: "join",
      effects: "read",
      run: ({ input }: StepInput<{ what: string; why: string }>) => `${input.what} ${input.why}`
    }),
    Condition.make({
      name: "long",
      evaluator: ({ input }) => textOf(input).length > 120,
      steps: [
        Loop.make({
          name: "shorten",
          maxIterations: 50,
          endCondition: ([shortened]) => textOf(shortened?.content).length <= 120,
          steps: [
            Step.make({
              name: "cut",
              effects: "read",
              run: ({ input }) => {
                const words = textOf(input).split(" ")
                return words.slice(0, Math.floor(words.length * 0.8)).join(" ")
              }
            })
          ]
        })
      ],
      elseSteps: [
        Step.make({ name: "keep", effects: "read", run: ({ input }) => input })
      ]
    })
  ]
})

export const desk = Team.make({
  id: "desk",
  name: "Desk",
  description: "Calculates, tells the time, and writes it down nicely.",
  instructions: "Ask the clerk for facts and figures, and the writer for the words.",
  members: [
    Agent.make({ id: "clerk", name: "Clerk", role: "Knows the time, and calculates", tools: [time, calculate] }),
    Agent.make({ id: "writer", name: "Writer", role: "Writes a friendly sentence from facts" })
  ]
})

if (import.meta.main) {
  serve({
    agents: [assistant, tenantAssistant],
    teams: [desk],
    workflows: [brief],
    name: "Quickstart",
    quickPrompts: {
      assistant: [
        "What time is it in Tokyo?",
        "What is 17 times 23?",
        "Remember that I like tea.",
        "Order a box of tea."
      ],
      "tenant-assistant": ["Greet me."],
      desk: ["Write me a sentence about 17 times 23."]
    }
  })
}
