// The background job that updates the memories of a user after a run. It is stored with the end of the run. Jobs of one
// user are executed one after the other, so that each sees the memories that the one before it left.
import type { EndedRun } from "@svc-runtime/agents/agent/define/AgentPart"
import type * as JobModel from "@svc-runtime/agents/agent/read/JobModel"
import * as RunReader from "@svc-runtime/agents/agent/read/RunReader"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import type * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { Effect, Option, Schema } from "effect"
import type { MemorySettings } from "./MemoryOptions.ts"
import { MemoryStore } from "./MemoryStore.ts"
import * as MemoryUpdate from "./MemoryUpdate.ts"
import { MemoryVectorStore } from "./MemoryVectorStore.ts"
import type { RunMemory } from "./RunMemory.ts"
import { TextVectors } from "./TextVectors.ts"

const Payload = Schema.Struct({ ...RunReader.fields, instructions: Schema.optionalKey(Schema.String) })
type Payload = typeof Payload.Type

const shape = { ...RunReader.schedule, name: "memory-extraction", payload: Payload } as const

const enqueued = JobKind.withoutHandler(shape)

/** The job after a run. It is left out if it is too large for the service. */
export const after = (run: EndedRun, memory: MemorySettings): Effect.Effect<JobsAfterRun.JobsAfterRun> => {
  const { session_id, user_id } = run
  const { instructions } = memory
  if (user_id === undefined) return Effect.succeed([])
  const payload = {
    ...RunReader.payloadOf(run, memory.model),
    ...(instructions === undefined ? {} : { instructions })
  }
  return RunReader.jobAfter(run, Jobs.newJob(enqueued, payload, { key: user_id, isUnique: false, user_id, session_id }))
}

export const kind = Effect.fnUntraced(function*(sources: JobModel.Sources) {
  const [memories, settings] = [yield* MemoryStore, yield* MemorySettingsStore]
  const [texts, vectors] = [yield* TextVectors, yield* MemoryVectorStore]
  const reader = yield* RunReader.make(sources)

  const handle = Effect.fnUntraced(function*(payload: Payload, { job: { id, lease, user_id } }: JobKind.JobContext) {
    const { agent_id, instructions, run_id, session_id, team_id } = payload
    if (user_id === null) return
    const transcript = yield* reader.transcriptOf(payload)
    if (Option.isNone(transcript)) return
    const models = yield* reader.modelsOf(payload, ({ memory }) => memory?.model)
    const memory: RunMemory = {
      memories,
      vectors,
      texts,
      settings,
      models,
      options: { update: "background", tools: false, context: false, contextTokens: 1, model: undefined, instructions },
      user_id,
      source: { run_id, root_run_id: run_id, session_id, agent_id, team_id }
    }
    yield* MemoryUpdate.run({
      memory,
      transcript: transcript.value,
      lease: { id, lease },
      onUsage: reader.usageOf(session_id, "memory_model")
    })
  })

  return JobKind.make({ ...shape, handle })
})
