// The shape of LangGraph's supervisor: a leader who gives research to one agent and arithmetic to another.
import { Agent, serve, Team, Tool } from "@svc-runtime/server"
import { z } from "zod"

const search = Tool.make({
  name: "search",
  description: "Searches the web",
  parameters: z.object({ query: z.string() }),
  execute: ({ query }) => `${query}: 8.5 million`
})
const numbers = z.object({ left: z.number(), right: z.number() })
const add = Tool.make({ name: "add", parameters: numbers, execute: ({ left, right }) => left + right })
const researcher = Agent.make({ id: "researcher", role: "Finds facts, and does no arithmetic", tools: [search] })
const mathematician = Agent.make({ id: "mathematician", role: "Calculates", tools: [add] })
const instructions = "Give each task to one member, and one after the other. Do nothing yourself."
export const supervisor = Team.make({ id: "supervisor", instructions, members: [researcher, mathematician] })

if (import.meta.main) serve({ agents: [], teams: [supervisor] })
