// Whose a run is that a tool acts on: one agent, team or workflow, that the caller may run.
import { Errors } from "@svc/api"
import { Agent as AgentSchema, type Scope, Team as TeamSchema, Workflow as WorkflowSchema } from "@svc/domain"
import { Effect } from "effect"
import * as McpTool from "../McpTool.ts"
import * as ToolAccess from "../ToolAccess.ts"
import type { RunServices } from "./RunServices.ts"

/** The arguments that name it. */
export const parameters = {
  agent_id: McpTool.optional(AgentSchema.Id),
  team_id: McpTool.optional(TeamSchema.Id),
  workflow_id: McpTool.optional(WorkflowSchema.Id)
}

export interface ComponentArguments {
  readonly agent_id?: string | null
  readonly team_id?: string | null
  readonly workflow_id?: string | null
}

interface ComponentRef {
  readonly resource: Scope.PerResource
  readonly name: string
  readonly id: string
}

const componentRef = Effect.fnUntraced(function*(given: ComponentArguments) {
  const all = [
    { resource: "agents", name: "Agent", id: given.agent_id },
    { resource: "teams", name: "Team", id: given.team_id },
    { resource: "workflows", name: "Workflow", id: given.workflow_id }
  ] as const
  const chosen = all.flatMap(({ id, ...kind }): ReadonlyArray<ComponentRef> =>
    id === null || id === undefined ? [] : [{ ...kind, id }]
  )
  const [first] = chosen
  return first !== undefined && chosen.length === 1
    ? first
    : yield* Errors.badRequest("Provide exactly one of agent_id, team_id, or workflow_id")
})

export const find = Effect.fnUntraced(function*({ agents, teams, workflows }: RunServices, given: ComponentArguments) {
  const { id, name, resource } = yield* componentRef(given)
  yield* ToolAccess.required(`${resource}:run`, { resource, id })
  const notFound = () => Errors.notFound(`${name} ${id} not found`)
  switch (resource) {
    case "agents":
      return {
        kind: "agent" as const,
        component: yield* Effect.mapError(agents.find(AgentSchema.Id.make(id)), notFound)
      }
    case "workflows":
      return {
        kind: "workflow" as const,
        component: yield* Effect.mapError(workflows.find(WorkflowSchema.Id.make(id)), notFound)
      }
    case "teams":
      return {
        kind: "team" as const,
        component: yield* Effect.mapError(teams.find(TeamSchema.Id.make(id)), notFound)
      }
  }
})
