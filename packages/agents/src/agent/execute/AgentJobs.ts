// The background jobs after an answer, which are stored with the end of the run: those of features, and the scores.
import { Effect } from "effect"
import * as OnlineScoring from "../define/OnlineScoring.ts"
import { isRoot } from "./AgentCommand.ts"
import type { AgentExecution } from "./AgentExecution.ts"

export const after = Effect.fnUntraced(function*({ command, parts }: AgentExecution) {
  const ofParts = yield* Effect.forEach(parts, ({ jobs }) => jobs ?? Effect.succeed([]))
  return [
    ...ofParts.flat(),
    ...(isRoot(command) ? yield* OnlineScoring.after(command, command.agent.onlineScoring) : [])
  ]
})
