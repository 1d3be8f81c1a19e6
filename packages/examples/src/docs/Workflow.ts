import { Agent, Step, type StepInput, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const Order = z.object({ product: z.string(), count: z.int().positive() })
type Order = z.infer<typeof Order>

const clerk = Agent.make({ id: "clerk", instructions: "Write one friendly sentence that confirms the order." })

export const order = Workflow.make({
  id: "order",
  inputSchema: Order,
  steps: [
    Step.make({
      name: "describe",
      effects: "read",
      run: ({ input }: StepInput<Order>) => `${input.count} times ${input.product}`
    }),
    Step.make({ name: "write", agent: clerk, retries: 2 }),
    Step.make({
      name: "send",
      confirmation: { message: "Send it?" },
      timeout: "1 minute",
      run: ({ input }) => `Sent: ${String(input)}`
    })
  ]
})
