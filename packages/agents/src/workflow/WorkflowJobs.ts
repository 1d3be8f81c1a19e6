// The jobs after the end of a run of a workflow. A run gets one extraction job and one learning job, with the options
// of the first agent that answered.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"
import * as OnlineScoring from "../agent/define/OnlineScoring.ts"
import * as Executors from "./execute/Executors.ts"
import type { WorkflowCommand } from "./WorkflowCommand.ts"

type Runs = ReadonlyArray<Json.Object>

/** A team and an agent can have the same id. */
const keyOf = (kind: "agent" | "team", id: string): string => `${kind} ${id}`

/** The keys of what answered in a step, also in steps of workflows in steps. */
const answeredIn = (runs: Runs): ReadonlyArray<string> =>
  runs.flatMap(({ agent_id, status, step_executor_runs: inside, team_id }) => [
    ...(status === "COMPLETED" && typeof team_id === "string" ? [keyOf("team", team_id)] : []),
    ...(status === "COMPLETED" && typeof agent_id === "string" ? [keyOf("agent", agent_id)] : []),
    ...(Array.isArray(inside) ? answeredIn(inside as Runs) : [])
  ])

const jobsReading = Effect.fnUntraced(function*(
  { memory: wanted, run_id, session_id, user_id, workflow }: WorkflowCommand,
  runs: Runs
) {
  if (wanted === false || runs.length === 0) return []
  const answered = new Set(answeredIn(runs))
  const executors = Executors.of(workflow).filter(({ agent: { id }, isLeader }) =>
    answered.has(keyOf(isLeader ? "team" : "agent", id))
  )
  const run = { run_id, session_id, user_id }
  const parts = new Map(executors.flatMap(({ agent }) => agent.parts.map((part) => [part.name, part] as const)))
  const jobs = yield* Effect.forEach(parts.values(), ({ afterWorkflow }) => {
    const first = executors.find(({ agent }) => afterWorkflow?.applies(agent) === true)
    return first === undefined || afterWorkflow === undefined
      ? Effect.succeed([])
      : afterWorkflow.jobs({ ...run, ...first })
  })
  return jobs.flat()
})

export const after = Effect.fnUntraced(function*(command: WorkflowCommand, runs: Runs) {
  return [
    ...yield* jobsReading(command, runs),
    ...yield* OnlineScoring.after(command, command.workflow.onlineScoring)
  ]
})
