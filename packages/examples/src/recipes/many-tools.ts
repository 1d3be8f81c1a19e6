// # Give an agent hundreds of tools
// Agents
//
// The model gets a search and the tools of `always`, and finds the others by words. What it finds joins its requests
// for the rest of the run, and for later turns of the session.
//
// Try:
//   npm run node -- packages/examples/src/recipes/many-tools.ts
//   svc run offices "When does the office in Lisbon open?"
//
// Change: `toolSearch: "off"` gives the model all tools in each request.
import { Agent, serve, Tool } from "@svc-runtime/server"

const cities = ["Lisbon", "Oslo", "Vienna", "Quito", "Nairobi", "Hanoi", "Perth", "Lima", "Turin", "Bergen"]
const facts = ["opening hours", "postal address", "phone number", "parking places", "manager", "meeting rooms"]

const tools = cities.flatMap((city) =>
  facts.map((fact) =>
    Tool.make({
      name: `${city}_${fact.replace(" ", "_")}`.toLowerCase(),
      description: `The ${fact} of the office in ${city}`,
      effects: "read",
      execute: () => `The ${fact} of ${city}`
    })
  )
)

const today = Tool.make({ name: "today", effects: "read", execute: () => new Date().toDateString() })

export const application = {
  agents: [
    Agent.make({
      id: "offices",
      addHistoryToContext: true,
      tools: [today, ...tools],
      toolSearch: { above: 20, always: ["today"] }
    })
  ]
}

if (import.meta.main) serve(application)
