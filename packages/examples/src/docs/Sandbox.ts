import { Agent, Sandbox, Workspace } from "@svc-runtime/server"

export const analyst = Agent.make({
  id: "analyst",
  workspace: Workspace.make({ sandbox: Sandbox.local({ memoryBytes: 1024 ** 3 }) })
})
