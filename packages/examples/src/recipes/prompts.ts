// # Share parts of instructions between agents
// Agents
//
// Two agents have the same tone. Its text is a prompt, with a variable for the brand, and a new version of it counts
// for both of them.
//
// Try:
//   npm run node -- packages/examples/src/recipes/prompts.ts
//   svc run desk "Where is order 7?"
//   curl http://127.0.0.1:7777/prompts/tone
//
// Change: leave `prompts` out, and store the prompt with `POST /prompts`. Its versions are then changed while the
// service runs.
import { Agent, Prompt, serve } from "@svc-runtime/server"

export const application = {
  prompts: [{ name: "tone", text: "Write as {{brand|our shop}} does: short, and friendly." }],
  agents: [
    Agent.make({ id: "desk", instructions: Prompt.text("You answer questions about orders.\n{{> tone}}") }),
    Agent.make({ id: "writer", instructions: Prompt.use("tone", { brand: "Acme" }) })
  ]
}

if (import.meta.main) serve(application)
