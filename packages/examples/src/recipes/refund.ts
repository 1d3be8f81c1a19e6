// # Refund an order after an approval
// People
//
// The call of the tool is stored as an approval, and the run waits for it without a process. A caller with
// `approvals:write` who is not isolated, such as an admin, approves it, and the run continues with the unchanged call.
//
// Try:
//   npm run node -- packages/examples/src/recipes/refund.ts
//   svc run clerk "Refund order 17"
//
// Change: `requiresConfirmation: true` lets the user of the run confirm the call instead. A function
// beside `approval` says which calls need one: `requiresConfirmation: ({ order }) => order > 100`.
import type { Svc } from "@svc-runtime/client"
import { Agent, serve, Tool } from "@svc-runtime/server"
import { z } from "zod"

export const refunded: Array<number> = []

const refund = Tool.make({
  name: "refund",
  description: "Pays an order back",
  parameters: z.object({ order: z.int() }),
  approval: "required",
  effects: "idempotent",
  execute: ({ order }) => {
    refunded.push(order)
    return `Order ${order} is paid back.`
  }
})

const clerk = Agent.make({ id: "clerk", instructions: "You pay orders back.", tools: [refund] })

export const application = { agents: [clerk] }

/** What the office does with all open refunds. */
export const approveAll = async (svc: Svc) => {
  const { data } = await svc.approvals.list({ status: "pending" })
  for (const { id } of data) await svc.approvals.resolve(id, { status: "approved" })
}

if (import.meta.main) serve(application)
