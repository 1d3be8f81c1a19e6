// Teams as a kind of component. Their members are agents and teams.
import type * as Service from "@svc-runtime/domain/Service"
import type * as TeamSchema from "@svc-runtime/domain/Team"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as InnerContinuation from "../agent/continue/InnerContinuation.ts"
import * as AgentDetail from "../agent/define/AgentDetail.ts"
import type { Services as AgentServices } from "../agent/execute/AgentDependencies.ts"
import type { ComponentModule } from "../component/ComponentModule.ts"
import type { SummaryContext } from "../component/Discovery.ts"
import { isFactory } from "../factory/Factory.ts"
import * as FactoryDetail from "../factory/FactoryDetail.ts"
import { isTeam, type Team } from "../team/Team.ts"
import * as TeamCommand from "../team/TeamCommand.ts"
import * as TeamDetail from "../team/TeamDetail.ts"
import type { TeamFactory } from "../team/TeamFactory.ts"
import { type TeamNotFound, TeamRegistry } from "../team/TeamRegistry.ts"
import { modelRun } from "./modelRun.ts"

// A team in the list of a service.

const make = (team: Team | TeamFactory, { databaseOf, modelOf }: SummaryContext): Service.ConfiguredTeam => {
  const { description } = isFactory(team) ? team : team.leader
  return {
    id: team.id,
    ...(team.name === undefined ? {} : { name: team.name }),
    ...(description === undefined ? {} : { description }),
    db_id: databaseOf(team),
    ...(isFactory(team) ? {} : { mode: team.mode, model: modelOf(team.leader.model) })
  }
}

export const TeamModule: ComponentModule<
  Team,
  TeamCommand.TeamCommand,
  TeamNotFound,
  TeamRegistry,
  Service.ConfiguredTeam,
  TeamSchema.Detail | FactoryDetail.FactoryDetail<Team["id"]>,
  AgentServices
> = {
  ...modelRun,
  kind: "team",
  registry: TeamRegistry,
  isComponent: isTeam,
  isCommand: (command: RunCommand): command is TeamCommand.TeamCommand => "team" in command,
  decode: TeamCommand.decode,
  continuation: InnerContinuation.continuation,
  toSummary: make,
  toDetail: (team, context) =>
    isFactory(team)
      ? FactoryDetail.make(team, context.databaseOf(team).id)
      : TeamDetail.toDetail(team, AgentDetail.dependenciesOf(context))
}
