import { Step, Workflow, WorkflowFactory } from "@svc-runtime/server"
import { z } from "zod"

export const checkup = WorkflowFactory.make({
  id: "checkup",
  inputSchema: z.object({ machines: z.array(z.string()).min(1) }),
  build: ({ id, input }) =>
    Workflow.make({
      id,
      steps: (input?.machines ?? ["all"]).map((machine) =>
        Step.make({ name: machine, effects: "read", run: () => `${machine} is checked` })
      )
    })
})
