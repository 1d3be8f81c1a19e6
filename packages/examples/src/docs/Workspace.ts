import { Agent, Workspace } from "@svc-runtime/server"

export const analyst = Agent.make({
  id: "analyst",
  workspace: Workspace.make({ maxBytes: 20_000_000, commandTimeout: "30 seconds", requiresConfirmation: true })
})
