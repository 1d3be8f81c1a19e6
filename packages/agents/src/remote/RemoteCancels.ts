// The remote tasks of a run that was cancelled. Jobs cancel them, which are stored with the end of the run: whichever
// node ends it, and whether it was executing or paused.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import { Effect, Option, Predicate, Schema } from "effect"
import * as RemoteCalls from "./RemoteCalls.ts"
import { type Remote, RemoteTasks } from "./RemoteTasks.ts"

const Payload = Schema.Struct({ agent_id: Schema.String, task_id: Schema.String })

const shape = { name: "remote_cancel", payload: Payload, maxAttempts: 8, timeout: "2 minutes" } as const

const enqueued = JobKind.withoutHandler(shape)

/** The runs of agents in a run. */
const agentsIn = (run: AnyRun.Output): ReadonlyArray<Run.Output> => {
  if (!AnyRun.isWorkflow(run)) return [run, ...AnyRun.membersOf(run)].filter(AnyRun.isAgent)
  return AnyRun.executorRunsOf(run).flatMap(agentsIn)
}

const argument = (args: Json.Value | undefined, name: string): string | undefined =>
  Predicate.hasProperty(args, name) && Predicate.isString(args[name]) ? args[name] : undefined

/** The last one that the run speaks of. */
const taskOf = ({ tools = [] }: Run.Output): string | undefined =>
  tools.flatMap(({ result, tool_args, tool_name }) => {
    if (tool_name === RemoteCalls.answerName) return argument(tool_args, "task_id") ?? []
    if (tool_name !== RemoteCalls.sendName || result === null) return []
    return Option.getOrUndefined(RemoteCalls.sentIn(result))?.task_id ?? []
  }).at(-1)

const isOver = ({ status }: Run.Output): boolean => status === "COMPLETED" || status === "ERROR"

const jobOf = Effect.fnUntraced(function*(run: Run.Output) {
  const task_id = isOver(run) ? undefined : taskOf(run)
  if (task_id === undefined) return []
  const job = yield* Jobs.newJob(enqueued, { agent_id: run.agent_id, task_id })
  return [{ ...job, id: JobsAfterRun.idOf(shape.name, run.run_id) }]
})

/** The end of a run with the jobs that cancel its remote tasks. */
export const withCancels = <
  Completion extends { readonly run: AnyRun.Output; readonly jobs?: JobsAfterRun.JobsAfterRun | undefined }
>(
  completion: Completion
): Effect.Effect<Completion> =>
  completion.run.status !== "CANCELLED" ?
    Effect.succeed(completion) :
    Effect.forEach(agentsIn(completion.run), jobOf).pipe(
      Effect.map((jobs) => ({ ...completion, jobs: [...completion.jobs ?? [], ...jobs.flat()] })),
      Effect.catchTag(
        "JobInvalid",
        (error) => Effect.as(Effect.logWarning("Remote tasks are not cancelled", error), completion)
      )
    )

/** Its handler. An agent that a factory made is not known to other nodes, nor after a start. */
export const kind = (remotes: ReadonlyMap<string, Remote>) =>
  Effect.map(RemoteTasks, (tasks) =>
    JobKind.make({
      ...shape,
      concurrency: 8,
      handle: Effect.fnUntraced(function*({ agent_id, task_id }, { guard }) {
        const remote = remotes.get(agent_id)
        if (remote === undefined) {
          return yield* new JobKind.JobRejected({ message: `There is no remote agent '${agent_id}' in this service` })
        }
        yield* guard(tasks.cancel(remote, task_id))
      })
    }))
