// The models of a background job that reads runs of an agent: one, and its fallbacks. The payload says which, because a
// stored agent can have another version by then, or be deleted.
import { describe, ModelCatalog, type ModelRef } from "@svc-runtime/models/ModelCatalog"
import * as UnusableModel from "@svc-runtime/models/UnusableModel"
import { Effect, Schema } from "effect"
import type { Agent } from "../define/Agent.ts"
import type * as ConversationRequest from "./ConversationRequest.ts"

/** The id and provider that `GET /registry` shows of a model without a name. */
const Shown = Schema.Struct({ id: Schema.String, provider: Schema.String })

/** The fields of the payload. */
export const fields = {
  /** The agent, or the leader of the team, whose options count. */
  agent_id: Schema.NullOr(Schema.String),
  team_id: Schema.NullOr(Schema.String),
  /** The name of a model. */
  model: Schema.optionalKey(Schema.String),
  registry_model: Schema.optionalKey(Shown),
  fallback_models: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Shown])))
}
const Payload = Schema.Struct(fields)
type Payload = typeof Payload.Type

const shownOf = (model: Exclude<ModelRef, string>): typeof Shown.Type => {
  const { id, provider } = describe(model)
  return { id, provider }
}

const fieldOf = (model: ModelRef | undefined): Pick<Payload, "model" | "registry_model"> => {
  if (model === undefined) return {}
  return typeof model === "string" ? { model } : { registry_model: shownOf(model) }
}

/** The fields for a model of an agent. Undefined is the model of the service. */
export const of = (
  model: ModelRef | undefined,
  { fallbackModels }: Pick<Agent, "fallbackModels">
): Pick<Payload, "fallback_models" | "model" | "registry_model"> => ({
  ...fieldOf(model),
  ...(fallbackModels.length === 0 ? {} : {
    fallback_models: fallbackModels.map((one) => typeof one === "string" ? one : shownOf(one))
  })
})

export interface Sources {
  /** The agent of a registered component, or the leader of a registered team. */
  readonly agentOf: (payload: Pick<Payload, "agent_id" | "team_id">) => Agent | undefined
  /** The model that the registry shows with this id and provider. */
  readonly modelOf: (id: string, provider: string) => ModelRef | undefined
}

/** A model that cannot be used fails when it is called. `chosenOf` gives the model that an agent has for the job. */
export const make = Effect.fnUntraced(function*({ agentOf, modelOf }: Sources) {
  const models = yield* ModelCatalog
  const known = ({ id, provider }: typeof Shown.Type) => modelOf(id, provider)

  const firstOf = (payload: Payload, agent: Agent | undefined, chosen: ModelRef | undefined): ModelRef => {
    const { model, registry_model: shown } = payload
    return model ?? chosen ?? agent?.model ?? (shown === undefined ? undefined : known(shown)) ?? models.defaultModel
  }

  return Effect.fnUntraced(function*(payload: Payload, chosenOf: (agent: Agent) => ModelRef | undefined) {
    const agent = agentOf(payload)
    const first = firstOf(payload, agent, agent === undefined ? undefined : chosenOf(agent))
    const fallbacks = agent?.fallbackModels ??
      (payload.fallback_models ?? []).flatMap((one) => typeof one === "string" ? one : known(one) ?? [])
    const all: ConversationRequest.Models = [
      yield* UnusableModel.resolve(models, first),
      ...yield* Effect.forEach(fallbacks, (ref) => UnusableModel.resolve(models, ref))
    ]
    return all
  })
})
