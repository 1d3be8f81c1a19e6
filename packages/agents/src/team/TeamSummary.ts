// A team in the list of a service.
import type * as Service from "@svc-runtime/domain/Service"
import type { SummaryContext } from "../component/Discovery.ts"
import { isFactory } from "../factory/Factory.ts"
import type { Team } from "./Team.ts"
import type { TeamFactory } from "./TeamFactory.ts"

export const make = (team: Team | TeamFactory, { databaseOf, modelOf }: SummaryContext): Service.ConfiguredTeam => {
  const { description } = isFactory(team) ? team : team.leader
  return {
    id: team.id,
    ...(team.name === undefined ? {} : { name: team.name }),
    ...(description === undefined ? {} : { description }),
    db_id: databaseOf(team),
    ...(isFactory(team) ? {} : { mode: team.mode, model: modelOf(team.leader.model) })
  }
}
