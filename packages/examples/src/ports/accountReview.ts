// The shape of Agno's account review: facts by a function, an assessment by an agent, and a person who accepts it.
import { Agent, Condition, serve, Step, type StepInput, Workflow } from "@svc-runtime/server"

const none = { plan: "none", overdue: 0 }
const accounts = new Map([["acme", { plan: "pro", overdue: 3 }]])
const facts = Step.make({ name: "facts", effects: "read", run: ({ input }) => accounts.get(String(input)) ?? none })

export const analyst = Agent.make({ id: "analyst", instructions: "Assess the account in two sentences." })
const assess = Step.make({ name: "assess", agent: "analyst", outputReview: { message: "Send it?", onReject: "retry" } })
const risk = Condition.make({
  name: "risk",
  evaluator: ({ input }: StepInput<{ overdue: number }>) => input.overdue > 0,
  steps: [assess],
  elseSteps: [() => "There is nothing to review."]
})

export const accountReview = Workflow.make({ id: "account-review", steps: [facts, risk] })

if (import.meta.main) serve({ agents: [analyst], workflows: [accountReview] })
