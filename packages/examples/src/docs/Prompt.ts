import { Agent, Prompt } from "@svc-runtime/server"

export const desk = Agent.make({
  id: "desk",
  instructions: Prompt.text("You answer questions about orders.\n{{> tone}}")
})
