// # Do something for each item of a list
// Workflows
//
// `ForEach` executes its steps for each item, some at the same time. Each result is stored, so a workflow that resumes
// executes only the unfinished items.
//
// Try:
//   npm run node -- packages/examples/src/recipes/foreach.ts
//   svc run workflow/reminders "March"
//
// Change: `onError: "fail"`, the default, ends the workflow with the first item that fails.
import { Agent, ForEach, serve, Step, type StepInput, Workflow } from "@svc-runtime/server"

const writer = Agent.make({ id: "writer", instructions: "Write a friendly reminder of one sentence." })

const open = Step.make({ name: "open", effects: "read", run: () => ["Ann: 12 euros", "Bob: 30 euros"] })

const reminders = Workflow.make({
  id: "reminders",
  steps: [
    open,
    ForEach.make({ name: "each", concurrency: 3, onError: "skip", steps: [writer] }),
    ({ input }: StepInput<ReadonlyArray<unknown>>) => `${input.length} reminders: ${input.join(" ")}`
  ]
})

export const application = { agents: [writer], workflows: [reminders] }

if (import.meta.main) serve(application)
