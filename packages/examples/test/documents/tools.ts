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

export { exchangeRate }
