import { Agent, ComponentTool } from "@svc-runtime/server"

const translator = Agent.make({ id: "translator", role: "Translates texts into plain English" })

export const editor = Agent.make({
  id: "editor",
  tools: [ComponentTool.make({ component: translator, maxCalls: 3 })]
})
