// # An agent inside of a tool
// Agents
//
// `run` of a tool executes another agent inside of the run: its usage, trace, cancellation and pauses are those of the
// run around it. A repeated tool gets the stored result, and the model is not paid twice.
//
// Try:
//   npm run node -- packages/examples/src/recipes/nested.ts
//   svc run planner "Three days in Lisbon"
//
// Change: `ComponentTool.make({ component: guide })` makes a tool of an agent without a function.
import { Agent, serve, Tool } from "@svc-runtime/server"
import { z } from "zod"

const guide = Agent.make({ id: "city-guide", instructions: "Name one sight of the city." })

const sights = Tool.make({
  name: "sights",
  description: "A sight for each day in a city",
  parameters: z.object({ city: z.string(), days: z.int().max(7) }),
  execute: async ({ city, days }, { run }) => {
    const answers = await Promise.all(
      Array.from({ length: days }, (_, day) => run(guide, `${city}, day ${day + 1}`))
    )
    return answers.map(({ content }) => String(content)).join("\n")
  }
})

const planner = Agent.make({ id: "planner", instructions: "Plan trips.", tools: [sights] })

export const application = { agents: [planner, guide] }

if (import.meta.main) serve(application)
