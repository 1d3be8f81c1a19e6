// The shorter blocks of docs/start/parts.md.
import { Agent, AgentFactory, Parallel, serve, Step, Team, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const assistant = Agent.make({ id: "assistant" })
const reader = Agent.make({ id: "reader", role: "Finds out what is known" })
const writer = Agent.make({ id: "writer", role: "Writes from facts" })
const facts = Step.make({ name: "facts", run: () => "It is old." })
const critics = Step.make({ name: "critics", run: () => "It is good." })
const publish = () => "Published."

// #region
const support = AgentFactory.make({
  id: "support",
  inputSchema: z.object({ tenant: z.string() }),
  build: ({ id, input, userId }) => Agent.make({ id, instructions: `You help ${userId} of ${input?.tenant}.` })
})

serve({ agents: [assistant, support] })
// #endregion

// #region
const desk = Team.make({ id: "desk", members: [reader, writer], mode: "coordinate" })

serve({ agents: [assistant], teams: [desk] })
// #endregion

// #region
const report = Workflow.make({
  id: "report",
  steps: [
    Parallel.make({ name: "research", steps: [facts, critics] }),
    Step.make({ name: "write", agent: writer, retries: 2 }),
    Step.make({ name: "publish", confirmation: { message: "Publish it?" }, run: publish })
  ]
})

serve({ agents: [assistant], workflows: [report] })
// #endregion

// #region
const companion = Agent.make({
  id: "companion",
  memory: true,
  learning: true,
  sessionSummaries: true,
  searchPastSessions: true
})

serve({ agents: [companion] })
// #endregion
