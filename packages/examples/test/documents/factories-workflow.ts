import { Parallel, serve, Step, Workflow, WorkflowFactory } from "@svc-runtime/server"
import { z } from "zod"

declare const machinesOf: (site: string | undefined) => Promise<ReadonlyArray<string>>
const look = (machine: string) => Step.make({ name: machine, run: () => `${machine} runs.` })
const report = Step.make({ name: "report", run: () => "All machines run." })

// #region
const checkup = WorkflowFactory.make({
  id: "checkup",
  inputSchema: z.object({ site: z.string() }),
  build: async ({ id, input }) => {
    const machines = await machinesOf(input?.site)
    return Workflow.make({ id, steps: [Parallel.make({ name: "look", steps: machines.map(look) }), report] })
  }
})

serve({ agents: [], workflows: [checkup] })
// #endregion
