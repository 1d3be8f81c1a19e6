import type { AnyTool } from "./types.ts"

interface Database {
  readonly close: () => Promise<void>
}

declare const connect: (tenant: string | undefined) => Promise<Database>
declare const toolsFor: (database: Database) => ReadonlyArray<AnyTool>

// #region
import { Agent, AgentFactory, FactoryPermissionError, serve } from "@svc-runtime/server"
import { z } from "zod"

const support = AgentFactory.make({
  id: "support",
  inputSchema: z.object({ tenant: z.string() }),
  build: async ({ id, input, onClose, trusted, userId }) => {
    if (trusted.claims["plan"] !== "gold") throw new FactoryPermissionError({ message: "Your plan has no support" })
    const database = await connect(input?.tenant)
    onClose(() => database.close())
    return Agent.make({ id, instructions: `You help ${userId}.`, tools: toolsFor(database) })
  }
})

serve({ agents: [support] })
// #endregion
