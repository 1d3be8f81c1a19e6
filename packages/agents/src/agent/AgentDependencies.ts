// What runs of agents need, read from the services once.
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { JobSignal } from "@svc-runtime/engine/signals/JobSignal"
import { KnowledgeAccess } from "@svc-runtime/features/knowledge/RunKnowledge"
import { MemorySettingsStore } from "@svc-runtime/features/memory/MemorySettingsStore"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import { TextVectors } from "@svc-runtime/features/memory/TextVectors"
import { ModelCatalog, type ModelRef } from "@svc-runtime/models/ModelCatalog"
import * as UnusableModel from "@svc-runtime/models/UnusableModel"
import { Effect } from "effect"
import type { Agent } from "./Agent.ts"
import type { Dependencies } from "./AgentExecution.ts"

/** What runs of agents need. */
export type Services =
  | ApprovalStore
  | JobStore
  | MediaStore
  | MemorySettingsStore
  | MemoryStore
  | MemoryVectorStore
  | ModelCatalog
  | SessionStore

/** Gives an agent its models. A model that cannot be used fails when it is called. */
export const dependencies = Effect.gen(function*() {
  const models = yield* ModelCatalog
  const approvals = yield* ApprovalStore
  const jobSignal = yield* JobSignal
  const signals = { enqueued: Effect.sync(jobSignal.notify), cancelled: Effect.void }
  const knowledge = yield* KnowledgeAccess
  const [memories, settings] = [yield* MemoryStore, yield* MemorySettingsStore]
  const [texts, vectors] = [yield* TextVectors, yield* MemoryVectorStore]
  const sessions = yield* SessionStore
  const media = yield* MediaStore
  const jobs = Jobs.make(yield* JobStore, yield* Jobs.JobPayloadLimit, signals)
  const modelOf = (ref: ModelRef) => UnusableModel.resolve(models, ref)
  return Effect.fnUntraced(function*(agent: Agent) {
    const { fallbackModels, hooks, memory, model, reasoningModel, searchPastSessions, sessionSummaries } = agent
    const fallbacks = yield* Effect.forEach(fallbackModels, modelOf)
    const readers = (own: ModelRef | undefined) =>
      Effect.map(modelOf(own ?? model ?? models.defaultModel), (first) => [first, ...fallbacks] as const)
    const dependencies: Dependencies = {
      model: yield* modelOf(model ?? models.defaultModel),
      fallbacks,
      reasoning: reasoningModel === undefined ? undefined : yield* modelOf(reasoningModel),
      hookModels: new Map(
        yield* Effect.forEach(
          hooks.flatMap(({ model, name }) => model === undefined ? [] : [[name, model] as const]),
          ([name, model]) => Effect.map(modelOf(model), (resolved) => [name, resolved] as const)
        )
      ),
      approvals,
      jobs,
      media,
      knowledge,
      memory: memory === undefined
        ? undefined
        : { memories, settings, texts, vectors, models: yield* readers(memory.model) },
      sessions: sessionSummaries === undefined && searchPastSessions === undefined
        ? undefined
        : { sessions, settings, models: yield* readers(sessionSummaries?.model) }
    }
    return dependencies
  })
})
