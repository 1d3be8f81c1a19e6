// The model of a background job that reads runs of an agent. The payload says which, because a stored agent can have
// another version by then, or be deleted.
import { describe, ModelCatalog, type ModelRef } from "@svc/models/ModelCatalog"
import { Effect, Schema } from "effect"
import type { Agent } from "./Agent.ts"

/** The fields of the payload. */
export const fields = {
  /** The agent, or the leader of the team, whose options count. */
  agent_id: Schema.NullOr(Schema.String),
  team_id: Schema.NullOr(Schema.String),
  /** The name of a model. */
  model: Schema.optionalKey(Schema.String),
  /** The id and provider that `GET /registry` shows of a model without a name. */
  registry_model: Schema.optionalKey(Schema.Struct({ id: Schema.String, provider: Schema.String }))
}
const Payload = Schema.Struct(fields)
type Payload = typeof Payload.Type

/** The fields for the model of an agent. Undefined is the model of the service. */
export const of = (model: ModelRef | undefined): Pick<Payload, "model" | "registry_model"> => {
  if (model === undefined) return {}
  if (typeof model === "string") return { model }
  const { id, provider } = describe(model)
  return { registry_model: { id, provider } }
}

export interface Sources {
  /** The agent of a registered component, or the leader of a registered team. */
  readonly agentOf: (payload: Pick<Payload, "agent_id" | "team_id">) => Agent | undefined
  /** The model that the registry shows with this id and provider. */
  readonly modelOf: (id: string, provider: string) => ModelRef | undefined
}

/** `chosenOf` gives the model that an agent has for the job. */
export const make = Effect.fnUntraced(function*({ agentOf, modelOf }: Sources) {
  const models = yield* ModelCatalog
  return (payload: Payload, chosenOf: (agent: Agent) => ModelRef | undefined) => {
    const { model, registry_model: shown } = payload
    if (model !== undefined) return models.resolve(model)
    const agent = agentOf(payload)
    const registered = agent === undefined ? undefined : chosenOf(agent) ?? agent.model
    const known = shown === undefined ? undefined : modelOf(shown.id, shown.provider)
    return models.resolve(registered ?? known ?? models.defaultModel)
  }
})
