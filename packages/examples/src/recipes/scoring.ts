// # Score live answers
// Quality
//
// A part of the live runs is scored in the background: by rules, or by a model as the judge. Scores are stored as
// feedback on the run, and delay no answer.
//
// Try:
//   npm run node -- packages/examples/src/recipes/scoring.ts
//   svc run polite "Hello"
//   curl -s 'localhost:7777/feedback?source=scorer'
//
// Change: `{ type: "judge", criteria: "The answer is polite" }` lets a model decide, with `JUDGE_MODEL`.
import { Agent, serve } from "@svc-runtime/server"

const polite = Agent.make({
  id: "polite",
  instructions: "Thank the customer.",
  onlineScoring: { scorers: [{ type: "contains", texts: ["Thank"] }], sampleRate: 1 }
})

export const application = { agents: [polite] }

if (import.meta.main) serve(application)
