// # Ask a person for a form in the middle of a tool
// People
//
// `pause` asks with a schema, and the run waits without a process. The fields of the form are made from the schema, and
// the tool continues with the values that fit it.
//
// Try:
//   npm run node -- packages/examples/src/recipes/form.ts
//   svc run host "A table for tonight"
//
// Change: in a workflow, the function of a step has the same `pause`.
import type { Svc } from "@svc-runtime/client"
import { answer } from "@svc-runtime/client"
import { Agent, serve, Tool } from "@svc-runtime/server"
import { z } from "zod"

const Booking = z.object({
  guests: z.int().min(1).describe("How many come"),
  room: z.enum(["garden", "hall"]),
  note: z.string().optional()
})

const book = Tool.make({
  name: "book_table",
  description: "Books a table. It asks the guest for the details.",
  parameters: z.object({ evening: z.string() }),
  execute: async ({ evening }, { pause }) => {
    const { guests, room } = await pause({ question: `Your table for ${evening}?`, schema: Booking })
    return `Booked the ${room} for ${guests}.`
  }
})

const host = Agent.make({ id: "host", instructions: "Book tables.", tools: [book] })

export const application = { agents: [host] }

export const bookFor = async (svc: Svc, values: Readonly<Record<string, string | number>>) => {
  const paused = await svc.agent("host").run("A table for tonight")
  return svc.agent("host").continue(paused, answer(paused, values))
}

if (import.meta.main) serve(application)
