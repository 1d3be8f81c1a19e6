import { Agent, Team, TeamFactory } from "@svc-runtime/server"

export const desk = TeamFactory.make({
  id: "desk",
  build: ({ id, trusted }) => {
    const clerk = Agent.make({ id: "clerk", role: "Answers questions" })
    const manager = Agent.make({ id: "manager", role: "Decides about refunds" })
    return Team.make({ id, members: trusted.scopes.has("refunds:write") ? [clerk, manager] : [clerk] })
  }
})
