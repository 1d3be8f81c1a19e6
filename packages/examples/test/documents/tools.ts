// The blocks of docs/tools.md.
// #region
import { Tool } from "@svc/server"
import { z } from "zod"

const exchangeRate = Tool.make({
  name: "exchange_rate",
  description: "The exchange rate between two currencies",
  parameters: z.object({ from: z.string(), to: z.string() }),
  effects: "read",
  timeout: "5 seconds",
  retries: 2,
  exponentialBackoff: true,
  concurrency: 10,
  execute: async ({ from, to }, { signal }) => {
    const response = await fetch(`https://rates.example/${from}/${to}`, { signal })
    if (!response.ok) throw new Error(`The rates answered ${response.status}`)
    return response.json()
  }
})
// #endregion

declare const tickets: { readonly currentToken: () => Promise<string> }

// #region
import { Agent, McpTools } from "@svc/server"

const helper = Agent.make({
  id: "helper",
  tools: [
    McpTools.make({
      name: "tickets",
      url: "https://tickets.example/mcp",
      token: () => tickets.currentToken(),
      prefix: "tickets_",
      include: ["search", "close"],
      effects: { search: "read" },
      requiresConfirmation: ["close"]
    }),
    McpTools.make({
      name: "files",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"]
    })
  ]
})
// #endregion

export { exchangeRate, helper }
