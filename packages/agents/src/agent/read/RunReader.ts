// What the background jobs that read a run after its end have in common: which run they read, and with which model.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import type * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Effect, Option, Schema } from "effect"
import type { EndedRun } from "../define/AgentPart.ts"
import * as JobModel from "./JobModel.ts"
import * as JobUsage from "./JobUsage.ts"
import * as Transcript from "./Transcript.ts"

/** Of the payload. */
export const fields = {
  run_id: Run.Id,
  session_id: Session.Id,
  ...JobModel.fields
}
const Payload = Schema.Struct(fields)
type Payload = typeof Payload.Type

export const schedule = { concurrency: 2, maxAttempts: 4, timeout: "2 minutes", retryDelay: "5 seconds" } as const

export const payloadOf = (
  { agent, isLeader, run_id, session_id }: EndedRun,
  chosen: ModelRef | undefined
): Payload => ({
  run_id,
  session_id,
  agent_id: isLeader ? null : agent.id,
  team_id: isLeader ? agent.id : null,
  ...JobModel.of(chosen ?? agent.model, agent)
})

/** With an id of the run, unless the user has switched memory off. Too large ones are left out. */
export const jobAfter = (
  { run_id }: EndedRun,
  made: Effect.Effect<Job.NewJob, Jobs.JobInvalid>
): Effect.Effect<JobsAfterRun.JobsAfterRun> =>
  made.pipe(
    Effect.map((job) => [{ ...job, id: JobsAfterRun.idOf(job.kind, run_id), ifMemoryOn: true }]),
    Effect.catchTag(
      "JobInvalid",
      (error) => Effect.as(Effect.logWarning("What is known about a user is not updated after a run", error), [])
    )
  )

export const make = Effect.fnUntraced(function*(sources: JobModel.Sources) {
  const runs = yield* RunReading
  return {
    /** None if the run was removed. */
    transcriptOf: ({ run_id, session_id }: Payload) =>
      Effect.map(runs.find(session_id, run_id, { owner: Owner.anyone }), Option.map(Transcript.ofRun)),
    modelsOf: yield* JobModel.make(sources),
    usageOf: yield* JobUsage.make
  }
})
