import { Tool } from "@svc-runtime/server"
import { z } from "zod"

declare const payments: {
  readonly charge: (payment: { readonly amount: number; readonly idempotencyKey: string }) => Promise<string>
}

// #region
const charge = Tool.make({
  name: "charge",
  effects: "idempotent",
  parameters: z.object({ amount: z.number() }),
  execute: ({ amount }, { effectId }) => payments.charge({ amount, idempotencyKey: effectId })
})
// #endregion

export { charge }
