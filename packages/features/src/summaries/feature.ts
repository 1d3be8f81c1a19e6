// Summaries of sessions, and the search in past ones.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import * as SummaryJob from "./SummaryJob.ts"

export const summaries = Feature.make({
  name: "summaries",
  groups: [],
  agents: () => AgentPart.forAgent,
  jobs: (_, { sources }) => Effect.map(SummaryJob.kind(sources), (kind) => [kind])
})
