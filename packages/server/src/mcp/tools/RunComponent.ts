// The component of a run that a tool acts on: one agent, team or workflow that the caller may run.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import { Errors } from "@svc-runtime/api"
import * as Agent from "@svc-runtime/domain/Agent"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as Team from "@svc-runtime/domain/Team"
import * as Workflow from "@svc-runtime/domain/Workflow"
import * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { Effect } from "effect"

/** The arguments that name the component. */
export const parameters = {
  agent_id: optional(Agent.Id),
  team_id: optional(Team.Id),
  workflow_id: optional(Workflow.Id)
}

export interface ComponentArguments {
  readonly agent_id?: string | null
  readonly team_id?: string | null
  readonly workflow_id?: string | null
}

const chosenOf = ({ agent_id, team_id, workflow_id }: ComponentArguments): ReadonlyArray<ComponentRef> => {
  const all = [
    { kind: "agent", id: agent_id },
    { kind: "team", id: team_id },
    { kind: "workflow", id: workflow_id }
  ] as const
  return all.flatMap(({ id, kind }) => id === null || id === undefined ? [] : [{ kind, id }])
}

export const refOf = Effect.fnUntraced(function*(given: ComponentArguments) {
  const [first, ...others] = chosenOf(given)
  if (first === undefined || others.length > 0) {
    return yield* Errors.badRequest("Provide exactly one of agent_id, team_id, or workflow_id")
  }
  const { resource } = ComponentKind.descriptions[first.kind]
  yield* ToolAccess.required([`${resource}:run`], { resource, id: first.id })
  return first
})
