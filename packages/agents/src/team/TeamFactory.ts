// Builds a team for each request, with members, modes or tools for its caller.
import * as AgentSchema from "@svc-runtime/domain/Agent"
import * as TeamSchema from "@svc-runtime/domain/Team"
import type { AnySchema } from "@svc-runtime/engine/schema/AnySchema"
import type { JsonSchema } from "effect"
import * as Factory from "../factory/Factory.ts"
import * as Team from "./Team.ts"

export type TeamFactory = Factory.Factory<Team.Team>

const teams: Factory.ComponentType<Team.Team> = {
  kind: "team",
  idOf: (id) => TeamSchema.Id.make(id),
  is: Team.isTeam,
  complete: (team, id) => {
    // the default name is the id
    const name = team.name === team.id ? id : team.name
    const leader = { ...team.leader, id: AgentSchema.Id.make(id), name, storeEvents: true }
    return { ...team, id, name, leader }
  }
}

/**
 * Builds a team for each run. Input, errors and timeout are those of `AgentFactory.make`.
 *
 * ```ts
 * import { Agent, Team, TeamFactory } from "@svc-runtime/server"
 *
 * export const desk = TeamFactory.make({
 *   id: "desk",
 *   build: ({ id, trusted }) => {
 *     const clerk = Agent.make({ id: "clerk", role: "Answers questions" })
 *     const manager = Agent.make({ id: "manager", role: "Decides about refunds" })
 *     return Team.make({ id, members: trusted.scopes.has("refunds:write") ? [clerk, manager] : [clerk] })
 *   }
 * })
 * ```
 */
export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Factory.Options<S, Team.Team>
): TeamFactory => Factory.make(teams, options)
