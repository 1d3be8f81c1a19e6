// # Extract data from a text
// Documents and data
//
// With an output schema, the answer of an agent is an object that the service has checked. The caller gets it with its
// types, and never a text to parse.
//
// Try:
//   npm run node -- packages/examples/src/recipes/extraction.ts
//   svc run invoice-reader "Invoice 17 of Tea House: 12.50 euros, due on 1 March 2026"
//
// Change: any Standard Schema works, such as Zod, Valibot or Effect Schema.
import type { Svc } from "@svc-runtime/client"
import { Agent, serve } from "@svc-runtime/server"
import { z } from "zod"

export const Invoice = z.object({
  number: z.int(),
  seller: z.string(),
  cents: z.int().describe("The total in cents"),
  due: z.iso.date()
})

const reader = Agent.make({
  id: "invoice-reader",
  instructions: "Extract the invoice from the text.",
  outputSchema: Invoice
})

export const application = { agents: [reader] }

export const readInvoice = async (svc: Svc, text: string) => {
  const { content } = await svc.agent("invoice-reader").run(text)
  return Invoice.parse(content)
}

if (import.meta.main) serve(application)
