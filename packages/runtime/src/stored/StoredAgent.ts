// The agent of a stored component, for jobs that read its runs.
import { Effect, Option } from "effect"
import { type Agent, isAgent } from "../agent/Agent.ts"
import type { AgentOf } from "../agent/RunReader.ts"
import type { StoredComponents } from "../component/StoredComponents.ts"
import type { Component } from "../factory/Factory.ts"
import { isTeam } from "../team/Team.ts"

const agentIn = (component: Component): Agent | undefined => {
  if (isTeam(component)) return component.leader
  return isAgent(component) ? component : undefined
}

/** In its current version. Undefined: there is none, or its config names what the service does not have. */
export const of = (stored: StoredComponents): AgentOf => ({ agent_id, team_id }) => {
  const ref = agent_id === null
    ? { kind: "team", id: team_id ?? "" } as const
    : { kind: "agent", id: agent_id } as const
  return stored.find(ref, undefined).pipe(
    Effect.map(Option.match({ onNone: () => undefined, onSome: ({ component }) => agentIn(component) })),
    Effect.catchTag("ComponentUnusable", () => Effect.succeed(undefined))
  )
}
