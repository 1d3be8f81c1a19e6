// # Write again until it is good
// Workflows
//
// `Loop` repeats its steps until its end condition is true, or as often as it may. Here an editor judges each draft,
// and the writer gets what the editor misses.
//
// Try:
//   npm run node -- packages/examples/src/recipes/loop.ts
//   svc run workflow/article "The history of tea"
//
// Change: the end condition is a function, so it can also count words or call a linter.
import { Agent, Loop, serve, Step, type StepInput, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const writer = Agent.make({ id: "author", instructions: "Write or improve the text." })

const Verdict = z.object({ isGood: z.boolean(), missing: z.string() })
const editor = Agent.make({ id: "editor", instructions: "Judge the text.", outputSchema: Verdict })

const improve = Step.make({
  name: "improve",
  run: async ({ input, run, sessionState }: StepInput) => {
    const draft = await run(writer, String(input))
    const { isGood, missing } = Verdict.parse((await run(editor, String(draft.content))).content)
    sessionState["draft"] = draft.content
    return isGood ? "good" : `${String(draft.content)}\n\nMissing: ${missing}`
  }
})

const article = Workflow.make({
  id: "article",
  steps: [
    Loop.make({
      name: "until-good",
      maxIterations: 4,
      endCondition: ([result]) => result?.content === "good",
      steps: [improve]
    }),
    ({ sessionState }: StepInput) => String(sessionState["draft"])
  ]
})

export const application = { agents: [writer, editor], workflows: [article] }

if (import.meta.main) serve(application)
