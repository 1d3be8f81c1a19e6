// The background jobs after a run of an agent: memories, learnings, scores, and the summary of its session.
import * as OnlineScoring from "@svc-runtime/features/evaluation/OnlineScoring"
import * as LearningJob from "@svc-runtime/features/learning/LearningJob"
import * as ExtractionJob from "@svc-runtime/features/memory/ExtractionJob"
import * as SummaryJob from "@svc-runtime/features/summaries/SummaryJob"
import { Effect } from "effect"
import { isRoot } from "./AgentCommand.ts"
import { type AgentExecution, isWithoutMemory } from "./AgentExecution.ts"

/** The jobs that read the run for memories and learnings. */
const jobsReading = Effect.fnUntraced(
  function*({ command, memory, dependencies: { isLeader = false } }: AgentExecution) {
    if (!isRoot(command) || isWithoutMemory(command)) return []
    const { agent, run_id, session_id, user_id } = command
    const run = { agent, isLeader, run_id, session_id, user_id }
    return [
      ...(memory?.options.update === "background" ? yield* ExtractionJob.after(run, memory.options) : []),
      ...(agent.learning?.isAlways === true ? yield* LearningJob.after(run, agent.learning) : [])
    ]
  }
)

/** The background jobs after an answer, which are stored with the end of the run. */
export const after = Effect.fnUntraced(function*(execution: AgentExecution) {
  const { command, sessions } = execution
  const { agent } = command
  const reading = [
    ...yield* jobsReading(execution),
    ...(isRoot(command) ? yield* OnlineScoring.after(command, agent.onlineScoring) : [])
  ]
  return sessions === undefined ? reading : [...reading, ...yield* SummaryJob.after(sessions, agent)]
})
