// The background job that updates the memories of a user after a run. It is stored with the end of the run. Jobs of one
// user are executed one after the other, so that each sees the memories that the one before it left.
import * as AnyRun from "@svc/domain/AnyRun"
import * as Owner from "@svc/domain/Owner"
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import * as Usage from "@svc/domain/Usage"
import { ModelCatalog, type ModelRef } from "@svc/models/ModelCatalog"
import { Effect, Option, Schema } from "effect"
import * as JobKind from "../../jobs/JobKind.ts"
import * as Jobs from "../../jobs/Jobs.ts"
import * as JobsAfterRun from "../../JobsAfterRun.ts"
import { MemorySettingsStore } from "../../memory/MemorySettingsStore.ts"
import { MemoryStore } from "../../memory/MemoryStore.ts"
import { MemoryVectorStore } from "../../memory/MemoryVectorStore.ts"
import { TextVectors } from "../../memory/TextVectors.ts"
import { RunStore } from "../../run/RunStore.ts"
import { SessionStore } from "../../session/SessionStore.ts"
import type { Agent } from "../Agent.ts"
import type * as ModelStep from "../ModelStep.ts"
import * as MemoryUpdate from "./MemoryUpdate.ts"
import type { RunMemory } from "./RunMemory.ts"

const Payload = Schema.Struct({
  run_id: Run.Id,
  session_id: Session.Id,
  agent_id: Schema.NullOr(Schema.String),
  team_id: Schema.NullOr(Schema.String),
  /** The name of a model. Without it the component has the model. */
  model: Schema.optionalKey(Schema.String),
  instructions: Schema.optionalKey(Schema.String)
})
type Payload = typeof Payload.Type

const shape = {
  name: "memory-extraction",
  payload: Payload,
  concurrency: 2,
  maxAttempts: 4,
  timeout: "2 minutes",
  retryDelay: "5 seconds"
} as const

/** Without its handler, for enqueueing. */
const enqueued = JobKind.make({ ...shape, handle: () => Effect.void })

/** The job after a run. It is left out if it is too large for the service. */
export const after = (
  { options: { instructions }, source, user_id }: RunMemory,
  run: { readonly run_id: Run.Id; readonly session_id: Session.Id; readonly model: ModelRef | undefined }
): Effect.Effect<JobsAfterRun.JobsAfterRun> => {
  const { model, run_id, session_id } = run
  const payload: Payload = {
    run_id,
    session_id,
    agent_id: source.agent_id,
    team_id: source.team_id,
    ...(typeof model === "string" ? { model } : {}),
    ...(instructions === undefined ? {} : { instructions })
  }
  return Jobs.newJob(enqueued, payload, { key: user_id, isUnique: false, user_id, session_id }).pipe(
    Effect.map((job) => [{ ...job, id: JobsAfterRun.idOf(shape.name, run_id) }]),
    Effect.catchTag(
      "JobInvalid",
      (error) => Effect.as(Effect.logWarning("The memories of a user are not updated after a run", error), [])
    )
  )
}

/** The agent of a component, or the leader of a team. Undefined: it is unknown here, or a factory makes it. */
export type AgentOf = (payload: Pick<Payload, "agent_id" | "team_id">) => Agent | undefined

export const kind = Effect.fnUntraced(function*(agentOf: AgentOf) {
  const [memories, settings] = [yield* MemoryStore, yield* MemorySettingsStore]
  const [runs, sessions] = [yield* RunStore, yield* SessionStore]
  const [texts, vectors] = [yield* TextVectors, yield* MemoryVectorStore]
  const models = yield* ModelCatalog

  const modelOf = (payload: Payload) => {
    const agent = agentOf(payload)
    return models.resolve(payload.model ?? agent?.memory?.model ?? agent?.model ?? models.defaultModel)
  }

  const handle = Effect.fnUntraced(function*(payload: Payload, { job: { id, lease, user_id } }: JobKind.JobContext) {
    const { agent_id, instructions, run_id, session_id, team_id } = payload
    if (user_id === null) return
    const found = yield* runs.find(session_id, run_id, { owner: Owner.anyone })
    if (Option.isNone(found)) return
    const model = yield* modelOf(payload)
    const memory: RunMemory = {
      memories,
      vectors,
      texts,
      settings,
      model,
      options: { update: "background", tools: false, context: false, contextTokens: 1, model: undefined, instructions },
      user_id,
      source: { run_id, root_run_id: run_id, session_id, agent_id, team_id }
    }
    const onUsage = (usage: ModelStep.StepResult["usage"]) =>
      sessions.addUsage(session_id, {
        ...Usage.countersOf(usage),
        details: { memory_model: [{ ...Usage.countersOf(usage), id: model.id, provider: model.provider }] }
      })
    yield* MemoryUpdate.run({ memory, messages: AnyRun.messagesOf(found.value), lease: { id, lease }, onUsage })
  })

  return JobKind.make({ ...shape, handle })
})
