// docs/start/first-project.md: src/shop.ts of the project.
// #region
import { Agent, Tool } from "@svc-runtime/server"
import { z } from "zod"

const prices = new Map([["tea", 4], ["coffee", 6]])

const price = Tool.make({
  name: "price",
  description: "The price of a product in euros",
  parameters: z.object({ product: z.enum(["tea", "coffee"]) }),
  effects: "read",
  execute: ({ product }) => prices.get(product) ?? "sold out"
})

const refund = Tool.make({
  name: "refund",
  description: "Pays an order back",
  parameters: z.object({ order: z.number() }),
  requiresConfirmation: true,
  execute: async ({ order }, { userId }) => `Order ${order} is paid back to ${userId ?? "the buyer"}.`
})

export const clerk = Agent.make({
  id: "clerk",
  role: "Knows prices and pays orders back",
  instructions: "You sell tea. Be brief.",
  tools: [price, refund],
  addHistoryToContext: true
})

export const sorter = Agent.make({
  id: "sorter",
  instructions: "Sort the message of a customer.",
  outputSchema: z.object({ topic: z.enum(["delivery", "refund", "other"]), urgent: z.boolean() })
})
// #endregion

// #region
import { AgentFactory, FactoryPermissionError, Step, Team, Workflow } from "@svc-runtime/server"

export const desk = Team.make({ id: "desk", members: [clerk, sorter], instructions: "Answer in one sentence." })

const total = Step.make({
  name: "total",
  effects: "read",
  run: ({ input }) => prices.get(String(input)) ?? 0
})

export const order = Workflow.make({
  id: "order",
  steps: [
    total,
    Step.make({
      name: "charge",
      confirmation: { message: "Charge it?" },
      run: ({ outputOf }) => `Charged ${outputOf(total) ?? 0} euros.`
    })
  ]
})

export const branch = AgentFactory.make({
  id: "branch",
  inputSchema: z.object({ city: z.string() }),
  build: ({ id, input }) => {
    if (input?.city === "Atlantis") throw new FactoryPermissionError({ message: "There is no branch in Atlantis" })
    return Agent.make({ id, instructions: `You work in the branch in ${input?.city}.`, tools: [price] })
  }
})
// #endregion
