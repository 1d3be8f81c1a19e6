import { Agent, Team } from "@svc-runtime/server"

const researcher = Agent.make({ id: "researcher", role: "Finds facts" })
const writer = Agent.make({ id: "writer", role: "Writes a short text from facts" })

export const newsroom = Team.make({
  id: "newsroom",
  mode: "coordinate",
  instructions: "Have the facts found first, and then have the text written.",
  members: [researcher, writer]
})
