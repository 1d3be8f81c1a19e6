// The background job that learns from a run. It is stored with the end of the run. Jobs of one user are executed one
// after the other, so that each sees what the one before it has learned.
import type { EndedRun } from "@svc-runtime/agents/agent/define/AgentPart"
import type * as JobModel from "@svc-runtime/agents/agent/read/JobModel"
import * as RunReader from "@svc-runtime/agents/agent/read/RunReader"
import * as Transcript from "@svc-runtime/agents/agent/read/Transcript"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import type * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { Effect, Option, Result, Schema } from "effect"
import * as Extraction from "./LearningExtraction.ts"
import type * as LearningOption from "./LearningOption.ts"
import * as LearningRuns from "./LearningRuns.ts"
import * as LearningShape from "./LearningShape.ts"
import { LearningStore } from "./LearningStore.ts"

const Payload = Schema.Struct({
  ...RunReader.fields,
  types: Schema.Array(Schema.Literals(LearningShape.types)),
  namespace: Schema.String,
  isProposed: Schema.Boolean
})
type Payload = typeof Payload.Type

const shape = { ...RunReader.schedule, name: "learning-extraction", payload: Payload } as const

const enqueued = JobKind.withoutHandler(shape)

/** Runs without a user wait for those of their session only. */
const keyOf = ({ session_id, user_id }: EndedRun): string =>
  user_id === undefined ? `session:${session_id}` : `user:${user_id}`

/** The job after a run. It is left out if the run has nothing to learn, or if it is too large for the service. */
export const after = (
  run: EndedRun,
  learning: LearningOption.Learning
): Effect.Effect<JobsAfterRun.JobsAfterRun> => {
  const { session_id, user_id } = run
  const { isProposed, model, namespace, types } = learning
  const scope = LearningRuns.scopeOf(learning, { sessionId: session_id, userId: user_id })
  if (Option.isNone(scope)) return Effect.succeed([])
  const payload: Payload = { ...RunReader.payloadOf(run, model), types, namespace, isProposed }
  const of = { key: keyOf(run), isUnique: false, user_id, session_id }
  return RunReader.jobAfter(run, Jobs.newJob(enqueued, payload, of))
}

export const kind = Effect.fnUntraced(function*(sources: JobModel.Sources) {
  const [learnings, settings] = [yield* LearningStore, yield* MemorySettingsStore]
  const reader = yield* RunReader.make(sources)

  const handle = Effect.fnUntraced(function*(payload: Payload, { job: { id, lease, user_id } }: JobKind.JobContext) {
    const { agent_id, run_id, session_id, team_id, types } = payload
    const run = { sessionId: session_id, userId: user_id ?? undefined }
    const scope = LearningRuns.scopeOf(payload, run)
    const transcript = yield* reader.transcriptOf(payload)
    if (Option.isNone(scope) || Option.isNone(transcript) || !Transcript.hasUserText(transcript.value)) return
    const isEnabled = user_id === null ? Effect.succeed(true) : settings.isEnabled(user_id)
    if (!(yield* isEnabled)) return
    const models = yield* reader.modelsOf(payload, ({ learning }) => learning?.model)
    const at = yield* now
    const known = yield* learnings.relevant(scope.value)
    const changes = yield* Extraction.extract(
      { models, types, known, transcript: transcript.value, created_at: at },
      reader.usageOf(session_id, "learning_model")
    )
    // the user may have switched it off while the model answered
    if (changes.length === 0 || !(yield* isEnabled)) return
    const source = { key: `run:${run_id}`, root_run_id: run_id, lease: { id, lease } }
    const occasion = { ...source, agent_id, team_id, at, newId: yield* NewId }
    const update = LearningRuns.updateOf(payload, run, changes, occasion)
    if (Result.isFailure(update)) return
    const { refused } = yield* learnings.apply(update.success, at)
    const left = refused + update.success.refusals().length
    if (left > 0) yield* Effect.logWarning(`${left} learnings of a run were not stored: there is no room for them`)
  })

  return JobKind.make({ ...shape, handle })
})
