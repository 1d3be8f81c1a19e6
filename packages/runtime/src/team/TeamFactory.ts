// Builds a team for each request, with members, modes or tools for its caller.
import { Agent as AgentSchema, Team as TeamSchema } from "@svc/domain"
import type { JsonSchema } from "effect"
import * as Factory from "../factory/Factory.ts"
import type { AnySchema } from "../schema/AnySchema.ts"
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

export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Factory.Options<S, Team.Team>
): TeamFactory => Factory.make(teams, options)
