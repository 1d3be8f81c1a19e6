// The models that background jobs of agents use. A job that fails is seen in the log only, long after the start.
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import type { Agent } from "./Agent.ts"

export interface BackgroundModel {
  /** The component, and what the model is for. */
  readonly use: string
  /** Undefined: the default model of the service. */
  readonly model: ModelRef | undefined
}

/** A team has those of its leader, which has the id of the team. */
export const of = (agent: Agent): ReadonlyArray<BackgroundModel> => {
  const used = agent.parts.map((part) => part.backgroundModel?.(agent))
  return used.flatMap((one) =>
    one === undefined ? [] : [{ use: `${one.name} of '${agent.id}'`, model: one.own ?? agent.model }]
  )
}
