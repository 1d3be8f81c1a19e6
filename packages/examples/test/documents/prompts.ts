// #region
import { Agent, Prompt, serve } from "@svc-runtime/server"

serve({
  prompts: [{ name: "tone", text: "Write as {{brand|our shop}} does: short, and friendly." }],
  agents: [
    Agent.make({ id: "desk", instructions: Prompt.text("You answer questions about orders.\n{{> tone}}") }),
    Agent.make({ id: "writer", instructions: Prompt.use("tone", { brand: "Acme" }) })
  ]
})
// #endregion
