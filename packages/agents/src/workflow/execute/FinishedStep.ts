// Writes down that a step has ended: its result, its changes of the session state, and the runs of its executors.
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import { Effect } from "effect"
import * as ExecutorRuns from "./ExecutorRuns.ts"
import * as StateDraft from "./StateDraft.ts"
import type { StepCompletion, WorkflowExecution } from "./WorkflowExecution.ts"
import type { Finished } from "./WorkflowJournal.ts"

export const entryOf = (key: string, { output, runs, state }: StepCompletion): Finished => ({
  kind: "finished",
  key,
  output,
  ...(state === undefined ? {} : { state }),
  ...(runs === undefined ? {} : { runs })
})

export const write = Effect.fnUntraced(function*(
  { journal, runs, state }: WorkflowExecution,
  entry: Finished
): Effect.fn.Return<StepOutput.StepOutput | null> {
  yield* journal.append(entry)
  StateDraft.apply(state, entry.state)
  for (const run of entry.runs ?? []) ExecutorRuns.put(runs, run)
  return entry.output
})
