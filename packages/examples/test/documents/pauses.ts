import { Tool } from "@svc-runtime/server"
import { z } from "zod"

const parameters = z.object({ address: z.string() })
const execute = ({ address }: { readonly address: string }) => `Done for ${address}.`

// #region
const send = Tool.make({ name: "send_mail", requiresConfirmation: true, parameters, execute })
const order = Tool.make({ name: "order", requiresUserInput: ["address"], parameters, execute })
const print = Tool.make({ name: "print", externalExecution: true, parameters })
// #endregion

// #region
const refund = Tool.make({
  name: "refund",
  parameters: z.object({ order: z.int(), amount: z.number() }),
  approval: "required",
  requiresConfirmation: ({ amount }) => amount > 100,
  execute: ({ amount }) => `Paid ${amount} back.`
})
// #endregion

export { order, print, refund, send }
