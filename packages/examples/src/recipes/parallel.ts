// # Run branches at the same time
// Workflows
//
// `Parallel` executes its steps at the same time, and its result has theirs by their names. The compiler checks the
// types of the step that follows.
//
// Try:
//   npm run node -- packages/examples/src/recipes/parallel.ts
//   svc run workflow/offer "tea"
//
// Change: agents, teams and workflows can be branches too, each with a name of its own.
import { Parallel, serve, Step, type StepInput, Workflow } from "@svc-runtime/server"

const price = Step.make({ name: "price", effects: "read", run: ({ input }) => String(input).length * 100 })
const stock = Step.make({ name: "stock", effects: "read", run: ({ input }) => `${String(input)} is there` })

const offer = Workflow.make({
  id: "offer",
  steps: [
    Parallel.make({ name: "facts", steps: [price, stock] }),
    ({ input }: StepInput<{ price: number; stock: string }>) => `${input.stock}, for ${input.price} cents.`
  ]
})

export const application = { agents: [], workflows: [offer] }

if (import.meta.main) serve(application)
