// What runs of agents need, read from the services once.
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { ByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { ModelCatalog, type ModelRef } from "@svc-runtime/models/ModelCatalog"
import * as UnusableModel from "@svc-runtime/models/UnusableModel"
import { Effect } from "effect"
import type { Agent } from "../define/Agent.ts"
import type { Dependencies } from "./AgentExecution.ts"
import * as RunPart from "./RunPart.ts"

/** What runs of agents need. */
export type Services = RunPart.AgentParts | ApprovalStore | JobSignal | JobStore | MediaStore | ModelCatalog

/** Gives an agent its models. A model that cannot be used fails when it is called. */
export const dependencies = Effect.gen(function*() {
  const models = yield* ModelCatalog
  const approvals = yield* ApprovalStore
  const jobSignal = yield* JobSignal
  const signals = { enqueued: Effect.sync(jobSignal.notify), cancelled: Effect.void }
  const parts = yield* RunPart.AgentParts
  const media = yield* MediaStore
  const jobs = Jobs.make(yield* JobStore, (yield* ByteLimits).jobPayload, signals)
  const modelOf = (ref: ModelRef) => UnusableModel.resolve(models, ref)
  return Effect.fnUntraced(function*(agent: Agent) {
    const { fallbackModels, hooks, model, reasoningModel } = agent
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
      parts: yield* RunPart.ofAgent(parts, agent, readers)
    }
    return dependencies
  })
})
