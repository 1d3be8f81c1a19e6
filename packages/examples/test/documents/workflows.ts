declare const lookUp: (subject: string) => Promise<string>
declare const readReviews: (subject: string) => Promise<string>
declare const publish: (text: unknown) => Promise<string>
import { z } from "zod"

// #region
import { Agent, Loop, Parallel, serve, Step, Workflow } from "@svc-runtime/server"

const facts = Step.make({ name: "facts", effects: "read", run: ({ input }) => lookUp(String(input)) })
const critics = Step.make({ name: "critics", effects: "read", run: ({ input }) => readReviews(String(input)) })
const writer = Agent.make({ id: "writer", instructions: "Write a report of what you are given." })

const report = Workflow.make({
  id: "report",
  steps: [
    Parallel.make({ name: "research", steps: [facts, critics] }),
    Step.make({ name: "write", agent: writer, retries: 2, timeout: "2 minutes" }),
    Loop.make({
      name: "polish",
      maxIterations: 3,
      endCondition: ([polished]) => String(polished?.content).length < 2000,
      steps: [Step.make({ name: "shorten", agent: writer })]
    }),
    Step.make({
      name: "publish",
      confirmation: { message: "Publish it?" },
      run: ({ input }) => publish(input)
    })
  ]
})

serve({ agents: [], workflows: [report] })
// #endregion

import { ForEach, Team } from "@svc-runtime/server"

declare const openInvoices: () => Promise<ReadonlyArray<{ customer: string; cents: number }>>
declare const send: (invoice: unknown, text: unknown) => Promise<string>

// #region
const invoices = Workflow.make({
  id: "invoices",
  steps: [
    Step.make({ name: "open", effects: "read", run: () => openInvoices() }),
    ForEach.make({
      name: "remind",
      concurrency: 3,
      onError: "skip",
      steps: [writer, Step.make({ name: "send", effects: "idempotent", run: ({ input, item }) => send(item, input) })]
    })
  ]
})
// #endregion

const reader = Agent.make({ id: "reader" })
const publisher = Agent.make({ id: "publisher" })
const topic = Step.make({ name: "topic", run: () => "tea" })
const archive = Step.make({ name: "archive", run: () => "Archived." })

// #region
const desk = Team.make({ id: "desk", members: [reader, publisher] })

const article = Workflow.make({ id: "article", steps: [topic, Step.make({ name: "write", team: desk }), archive] })
// #endregion

// #region
const book = Step.make({
  name: "book",
  userInput: {
    message: "For whom?",
    onReject: "cancel",
    schema: z.object({
      guests: z.int().min(1).describe("How many come"),
      room: z.enum(["garden", "hall"]),
      note: z.string().optional()
    })
  },
  run: ({ input, userInput }) => `${String(input)}: ${userInput.room} for ${userInput.guests}`
})
// #endregion

declare const charge: (input: unknown, options: { readonly idempotencyKey: string }) => Promise<string>

// #region
Step.make({
  name: "charge",
  effects: "idempotent",
  run: ({ effectId, input }) => charge(input, { idempotencyKey: effectId })
})
// #endregion

export { article, book, invoices }
