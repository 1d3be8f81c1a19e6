// A team and a workflow for each customer: the members of the team depend on what the customer has paid for, and a
// checkup looks at the machines that the customer has. The factory of a workflow is called again whenever one of its
// runs resumes.
//
// curl -s http://127.0.0.1:7777/workflows/checkup/runs -F stream=false -F message=go -F
// factory_input='{"site":"harbour"}'
import { Agent, Parallel, serve, Step, Team, TeamFactory, Workflow, WorkflowFactory } from "@svc-runtime/server"
import { z } from "zod"

interface Site {
  readonly name: string
  readonly plan: "basic" | "full"
  /** How warm they are, in degrees Celsius. */
  readonly machines: Readonly<Record<string, number>>
}

const sites: Readonly<Record<string, Site>> = {
  harbour: { name: "Harbour", plan: "full", machines: { crane: 41, pump: 88, gate: 20 } },
  mill: { name: "Mill", plan: "basic", machines: { saw: 65 } }
}

const inputSchema = z.object({ site: z.enum(["harbour", "mill"]) })

/** A run of a team that is continued has no input: then the factory uses this one. */
const siteOf = (name: string | undefined): Site =>
  sites[name ?? ""] ?? { name: "the site", plan: "basic", machines: {} }

export const serviceDesk = TeamFactory.make({
  id: "service-desk",
  name: "Service desk",
  description: "The people of the site that the request names.",
  inputSchema,
  build: ({ id, input }) => {
    const { name, plan } = siteOf(input?.site)
    const engineer = Agent.make({ id: "engineer", name: "Engineer", role: `Knows the machines of ${name}` })
    const planner = Agent.make({ id: "planner", name: "Planner", role: "Finds a date for repairs" })
    return Team.make({
      id,
      instructions: `You look after ${name}.`,
      members: plan === "full" ? [engineer, planner] : [engineer]
    })
  }
})

export const checkup = WorkflowFactory.make({
  id: "checkup",
  name: "Checkup",
  description: "Looks at each machine of a site at once, and says which are too warm.",
  inputSchema,
  build: ({ id, input }) => {
    const { machines, name } = siteOf(input?.site)
    const looks = Object.entries(machines).map(([machine, degrees]) =>
      Step.make({ name: machine, effects: "read", run: () => degrees > 60 ? machine : "" })
    )
    return Workflow.make({
      id,
      steps: [
        Parallel.make({ name: "look", steps: looks }),
        Step.make({
          name: "report",
          effects: "read",
          run: ({ outputOf }) => {
            const warm = looks.map((look) => outputOf(look)).filter((machine) => machine)
            return warm.length === 0 ? `All is well at ${name}.` : `Too warm at ${name}: ${warm.join(", ")}.`
          }
        })
      ]
    })
  }
})

if (import.meta.main) serve({ agents: [], teams: [serviceDesk], workflows: [checkup], name: "Service desk" })
