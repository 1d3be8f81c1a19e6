// `get_platform_config`: the components and databases that the caller may use.
import { CurrentPrincipal, type Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import type * as Service from "@svc-runtime/domain/Service"
import { usable } from "@svc-runtime/http/authorization/RunnableComponent"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import type * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"

const text = Schema.NullOr(Schema.String)
const Model = Schema.NullOr(Schema.Struct({ id: text, provider: text }))

const Output = Schema.Struct({
  os_id: Schema.String,
  description: text,
  databases: Schema.Array(Schema.String),
  agents: Schema.Array(Schema.Struct({
    id: Schema.String,
    name: text,
    description: text,
    db_id: text,
    model: Model,
    metadata: Schema.NullOr(Json.Object)
  })),
  teams: Schema.Array(Json.Object),
  workflows: Schema.Array(Json.Object)
})

const modelOf = (model: Service.ConfiguredAgent["model"]) =>
  model === undefined ? null : { id: model.id ?? null, provider: model.provider ?? null }

const agentOf = ({ db_id, description, id, metadata, model, name }: Service.ConfiguredAgent) => ({
  id,
  name: name ?? null,
  description: description ?? null,
  db_id: db_id ?? null,
  model: modelOf(model),
  metadata: metadata ?? null
})

const teamOf = ({ db_id, description, id, mode, model, name }: Service.ConfiguredTeam) => ({
  id,
  name: name ?? null,
  description: description ?? null,
  db_id: db_id ?? null,
  mode: mode ?? null,
  model: modelOf(model)
})

const workflowOf = ({ db_id, description, id, name, ...more }: Service.Config["workflows"][number]): Json.Object => ({
  id,
  name: name ?? null,
  description: description ?? null,
  db_id: db_id ?? null,
  is_factory: false,
  factory_input_schema: null,
  is_component: false,
  current_version: null,
  stage: null,
  ...more as Json.Object
})

const endpoint = { route: "GET /config" }

/** `stored`: the stored components, as they are now. */
export const make = (
  access: ToolAccess.ToolAccess,
  config: Service.Config,
  stored: Effect.Effect<
    Pick<Service.Config, "agents" | "teams" | "workflows">,
    Errors.TooManyRequests | Errors.Unavailable
  >
) =>
  McpTool.make({
    name: "get_platform_config",
    description: "Lists the agents, teams and workflows that can be run here, with their ids, and the databases.",
    parameters: Tool.EmptyParams,
    output: Output,
    annotations: { title: "What is there", readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    isFor: access.may(endpoint),
    call: Effect.fnUntraced(function*() {
      yield* access.required(endpoint)
      const principal = yield* CurrentPrincipal
      const { agents, teams, workflows } = yield* stored
      const structured: typeof Output.Type = {
        os_id: config.os_id,
        description: config.description ?? null,
        databases: config.databases,
        agents: [...config.agents, ...agents].filter(usable(principal, "agents")).map(agentOf),
        teams: [...config.teams, ...teams].filter(usable(principal, "teams")).map(teamOf),
        workflows: [...config.workflows, ...workflows].filter(usable(principal, "workflows")).map(workflowOf)
      }
      return { structured }
    })
  })
