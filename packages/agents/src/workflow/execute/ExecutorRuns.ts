// The runs of the executors of a workflow. They have its usage, so each run is there once, whatever becomes of its
// step: with its output, or with what its journal shows if it was not resumed after its node stopped.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Usage from "@svc-runtime/domain/Usage"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import { Effect, Option, Schema, Struct } from "effect"
import { Figures } from "../../agent/execute/AgentJournal.ts"
import * as InnerRunsJournal from "../../agent/execute/InnerRunsJournal.ts"
import type { WorkflowExecution } from "./WorkflowExecution.ts"
import * as WorkflowJournal from "./WorkflowJournal.ts"

type Runs = ReadonlyArray<Json.Object>

/** Replaces what was known of the run. */
export const put = (runs: Array<Json.Object>, run: Json.Object): void => {
  const known = runs.findIndex(({ run_id }) => run_id === run["run_id"])
  if (known >= 0) runs.splice(known, 1)
  runs.push(run)
}

const insideOf = (run: Json.Object): Runs => (run["step_executor_runs"] ?? []) as Runs

const idsIn = (runs: Runs): ReadonlyArray<unknown> => runs.flatMap((run) => [run["run_id"], ...idsIn(insideOf(run))])

const decodeFigures = Schema.decodeUnknownOption(Schema.Struct(Struct.pick(Figures.fields, ["details", "usage"])))

/** The figures of a request include those of the requests before it. */
const ownUsage = (entries: Runs): Usage.RunMetrics => {
  const last = RunJournal.ownEntries(entries).findLast(({ figures }) => figures !== undefined)
  return Option.match(decodeFigures(last?.["figures"]), {
    onNone: () => ({}),
    onSome: ({ details, usage }) => ({ ...usage, details })
  })
}

const isOfWorkflow = (entries: Runs): boolean => entries.some(({ kind }) => kind === "chosen" || kind === "finished")

/** By the journal of a run of a workflow. */
export const ofJournal: (entries: Runs) => Effect.Effect<Runs> = Effect.fnUntraced(function*(entries) {
  const journal = WorkflowJournal.make(yield* Effect.orDie(WorkflowJournal.decode(entries)), () => Effect.void)
  return yield* all({ journal, runs: [] })
})

/** By the journal of a run. */
export const usageIn: (entries: Runs) => Effect.Effect<Usage.RunMetrics> = Effect.fnUntraced(function*(entries) {
  if (isOfWorkflow(entries)) {
    return WorkflowRun.usageOf({ step_executor_runs: yield* ofJournal(entries) })
  }
  let sum = ownUsage(entries)
  for (const [key, { output }] of yield* InnerRunsJournal.membersIn(entries)) {
    const used = output === undefined
      ? yield* usageIn(RunJournal.innerEntries(entries, key))
      : AnyRun.usageOf(output)
    sum = Usage.addToSession(sum, used)
  }
  return sum
})

const isMore = (usage: Usage.RunMetrics, than: Usage.RunMetrics): boolean =>
  (usage.total_tokens ?? 0) > (than.total_tokens ?? 0) || (usage.cost ?? 0) > (than.cost ?? 0)

/** The runs that ended or paused, and the others that were started. */
export const all: (
  execution: Pick<WorkflowExecution, "journal" | "runs">
) => Effect.Effect<Runs> = Effect.fnUntraced(function*({ journal, runs }) {
  const found = [...runs]
  const known = new Set(idsIn(found))
  // those of nested workflows come after their workflows, which include them
  for (const run of journal.runs()) {
    if (known.has(run["run_id"])) continue
    found.push(run)
    for (const id of idsIn([run])) known.add(id)
  }
  const started: Array<Json.Object> = []
  for (const run of journal.startedRuns()) {
    if (known.has(run.run_id)) continue
    const metrics = yield* usageIn(journal.inner(run.run_id))
    if (isMore(metrics, {})) started.push(Json.of({ ...run, status: "CANCELLED", metrics }))
  }
  // a paused run that was resumed can have used more since
  const resumed = Effect.fnUntraced(function*(run: Json.Object): Effect.fn.Return<Json.Object> {
    const inside = insideOf(run)
    if (inside.length > 0) return { ...run, step_executor_runs: yield* Effect.forEach(inside, resumed) }
    if (run["status"] !== "PAUSED") return run
    const metrics = yield* usageIn(journal.inner(Run.Id.make(String(run["run_id"]))))
    const { member_responses: _, ...own } = run
    return isMore(metrics, WorkflowRun.usageOf({ step_executor_runs: [run] }))
      ? { ...own, metrics: Json.of(metrics) }
      : run
  })
  return [...yield* Effect.forEach(found, resumed), ...started]
})
