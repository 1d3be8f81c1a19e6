import { Tool } from "@svc-runtime/server"
import { z } from "zod"

export const refund = Tool.make({
  name: "refund",
  description: "Pays an order back",
  parameters: z.object({ order: z.int(), cents: z.int().positive() }),
  // the shop's API recognises a repeated key
  effects: "idempotent",
  requiresConfirmation: true,
  timeout: "20 seconds",
  execute: async ({ cents, order }, { effectId, signal }) => {
    const response = await fetch(`https://shop.example/orders/${order}/refunds`, {
      method: "POST",
      headers: { "idempotency-key": effectId },
      body: JSON.stringify({ cents }),
      signal
    })
    if (!response.ok) throw new Error(`The shop answered ${response.status}`)
    return { refunded: cents }
  }
})
