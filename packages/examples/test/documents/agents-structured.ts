// The block of docs/guides/agents.md about structured answers.
// #region
import { Agent, serve } from "@svc-runtime/server"
import { z } from "zod"

const sorter = Agent.make({
  id: "sorter",
  instructions: "Sort the letters of customers.",
  outputSchema: z.object({ topic: z.enum(["order", "refund", "other"]), isUrgent: z.boolean(), summary: z.string() })
})

serve({ agents: [sorter] })
// #endregion
