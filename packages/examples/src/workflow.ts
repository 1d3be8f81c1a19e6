// A workflow with people in it: an announcement is drafted, checked by two at once, and sent when a person confirms it.
// After a kill it resumes after the last finished step. While it waits for a person, nothing executes.
import { Agent, Condition, Parallel, serve, Step, type StepInput, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const Announcement = z.object({ product: z.string().min(1), audience: z.enum(["customers", "press"]) })
type Announcement = z.infer<typeof Announcement>

/** Steps say what they expect: the compiler holds the workflow to it. */
interface Draft {
  readonly title: string
  readonly text: string
}

export const writer = Agent.make({
  id: "writer",
  name: "Writer",
  instructions: "Write one friendly paragraph for the announcement that you are asked for. No headlines."
})

const request = Step.make({
  name: "request",
  effects: "read",
  run: ({ input }: StepInput<Announcement>) => `Announce ${input.product} to our ${input.audience}.`
})

const draft = Step.make({
  name: "draft",
  effects: "read",
  // a person may change the text, or ask for another one and say what is missing
  outputReview: { message: "Is this what we want to say?", onReject: "retry" },
  run: ({ outputOf, rejectionFeedback, workflowInput }: StepInput<unknown, Announcement>): Draft => ({
    title: `${workflowInput.product} is here`,
    text: [outputOf("write"), rejectionFeedback].filter((part) => part !== undefined).join(" ")
  })
})

const isDraft = (value: unknown): value is Draft => typeof value === "object" && value !== null && "text" in value
const wordsOf = (value: unknown) => (isDraft(value) ? value.text : String(value)).split(/\s+/).length

const length = Step.make({
  name: "length",
  effects: "read",
  run: ({ input }) => wordsOf(input) <= 200
})
const tone = Step.make({
  name: "tone",
  effects: "read",
  run: ({ input }) => !JSON.stringify(input).includes("!!")
})

const sent: Array<string> = []

export const announcement = Workflow.make({
  id: "announcement",
  name: "Announcement",
  description: "Drafts an announcement, has it checked, and sends it when a person confirms it.",
  inputSchema: Announcement,
  steps: [
    request,
    Step.make({ name: "write", agent: writer }),
    draft,
    Parallel.make({ name: "checks", steps: [length, tone] }),
    Condition.make({
      name: "good",
      evaluator: ({ input }: StepInput<{ length: boolean; tone: boolean }>) => input.length && input.tone,
      steps: [
        Step.make({
          name: "send",
          confirmation: { message: "Send it now?", onReject: "cancel", timeout: "7 days" },
          retries: 2,
          // if the step is interrupted, its outcome is unknown: a person decides
          effects: "once",
          timeout: "1 minute",
          onError: "pause",
          run: ({ outputOf }) => {
            const { text, title } = outputOf(draft) ?? { title: "", text: "" }
            sent.push(title)
            return `Sent: ${title}. ${text}`
          }
        })
      ],
      elseSteps: [Step.make({ name: "explain", effects: "read", run: () => "Not sent: it is too long, or too loud." })]
    })
  ]
})

if (import.meta.main) serve({ agents: [writer], workflows: [announcement] })
