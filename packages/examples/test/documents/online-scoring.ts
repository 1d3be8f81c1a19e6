// The block of docs/guides/evaluations.md about scores of live runs.
// #region
import { Agent, serve } from "@svc-runtime/server"

const assistant = Agent.make({
  id: "assistant",
  onlineScoring: {
    scorers: [
      { type: "contains", texts: ["Paris"] },
      { type: "judge", criteria: "The answer is polite" }
    ],
    sampleRate: 0.05
  }
})

serve({ agents: [assistant] })
// #endregion
