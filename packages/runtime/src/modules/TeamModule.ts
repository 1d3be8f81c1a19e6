// Teams as a kind of component. Their members are agents and teams.
import type * as Service from "@svc/domain/Service"
import type * as TeamSchema from "@svc/domain/Team"
import { Effect } from "effect"
import type { Services as AgentServices } from "../agent/AgentDependencies.ts"
import * as AgentDetail from "../agent/AgentDetail.ts"
import * as AgentJournal from "../agent/AgentJournal.ts"
import type { ComponentModule } from "../component/ComponentModule.ts"
import { isFactory } from "../factory/Factory.ts"
import * as FactoryDetail from "../factory/FactoryDetail.ts"
import * as AgentOrTeam from "../nested/AgentOrTeam.ts"
import * as RunJournal from "../run/RunJournal.ts"
import type { RunRequest } from "../run/RunRequest.ts"
import { isTeam, type Team } from "../team/Team.ts"
import * as TeamCommand from "../team/TeamCommand.ts"
import * as TeamContinuation from "../team/TeamContinuation.ts"
import * as TeamDetail from "../team/TeamDetail.ts"
import * as TeamJournal from "../team/TeamJournal.ts"
import { type TeamNotFound, TeamRegistry } from "../team/TeamRegistry.ts"
import * as TeamSummary from "../team/TeamSummary.ts"

export const TeamModule: ComponentModule<
  Team,
  TeamCommand.TeamCommand,
  TeamNotFound,
  AgentServices | TeamRegistry,
  Service.ConfiguredTeam,
  TeamSchema.Detail | FactoryDetail.FactoryDetail<Team["id"]>
> = {
  kind: "team",
  registry: TeamRegistry,
  isComponent: isTeam,
  isCommand: (request: RunRequest): request is TeamCommand.TeamCommand => "team" in request,
  preparer: AgentOrTeam.preparer,
  decode: TeamCommand.decode,
  checkJournal: (entries) =>
    Effect.andThen(AgentJournal.decode(RunJournal.ownEntries(entries)), TeamJournal.check(entries)),
  continuation: TeamContinuation.continuation,
  asksFactory: false,
  waitingRuns: TeamContinuation.waitingRuns,
  toSummary: TeamSummary.make,
  toDetail: (team, context) =>
    isFactory(team)
      ? FactoryDetail.make(team, context.databaseOf(team).id)
      : TeamDetail.toDetail(team, AgentDetail.dependenciesOf(context))
}
