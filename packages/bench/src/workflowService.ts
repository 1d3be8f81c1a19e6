// A service whose workflows do nothing but run: what they cost is what the service costs.
import { Parallel, serve, Step, Workflow } from "@svc-runtime/server"
import { Effect } from "effect"

const step = (index: number) => Step.make({ name: `step ${index}`, effects: "read", run: () => `done ${index}` })

const row = (length: number) =>
  Workflow.make({ id: `steps-${length}`, steps: Array.from({ length }, (_, index) => step(index)) })

/** Milliseconds. The last branch is the slowest. */
const slowest = 100

const branch = (index: number) =>
  Step.make({
    name: `branch ${index}`,
    effects: "read",
    run: () => Effect.as(Effect.sleep(index === 19 ? slowest : slowest / 2), index)
  })

const branches = Workflow.make({
  id: "branches-20",
  steps: [Parallel.make({ name: "all", steps: Array.from({ length: 20 }, (_, index) => branch(index)) })]
})

serve({ agents: [], workflows: [row(10), row(100), row(1000), branches] })
