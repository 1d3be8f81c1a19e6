// docs/guides/evaluations.md

// #region
import { Agent, serve } from "@svc-runtime/server"

serve({
  agents: [Agent.make({ id: "assistant" })],
  datasets: [{
    name: "Numbers",
    description: "Sums and products",
    items: [
      { input: "What is 17 times 23?", expectedOutput: "391" },
      { id: "sum", input: "What is 2 plus 3?", expectedOutput: "5", metadata: { level: 1 } }
    ]
  }]
})
// #endregion
