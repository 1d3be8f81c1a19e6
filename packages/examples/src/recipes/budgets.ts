// # A budget for each user
// Safety and limits
//
// Each user may spend an amount on models in a day, and the service in a month. What a request may cost is reserved
// before it is sent, so several nodes and many callers at once do not exceed it. A refused run says when to try again.
//
// Try:
//   npm run node -- packages/examples/src/recipes/budgets.ts
//   curl -s localhost:7777/agents/assistant/runs -F message=Hi -F user_id=ann -F stream=false
//   curl -s 'localhost:7777/budgets?user_id=ann'
//
// Change: `currency: "EUR"` counts in euros, with `BUDGET_CURRENCIES=EUR=1.08`. A webhook with the event
// `budget.warned` is called at 80 % of the amount.
import { Agent, serve } from "@svc-runtime/server"

export const application = {
  agents: [Agent.make({ id: "assistant", modelSettings: { maxOutputTokens: 1000 } })],
  budgets: [
    { name: "each user", scope: "user", period: "day", amount: 0.5, unpriced: { input: 1, output: 4 } },
    { name: "all", scope: "service", period: "month", amount: 100, unpriced: { input: 1, output: 4 } }
  ] as const
}

if (import.meta.main) serve(application)
