// Teams as a kind of component. Their members are agents and teams.
import * as AnyRun from "@svc/domain/AnyRun"
import * as Run from "@svc/domain/Run"
import type * as Service from "@svc/domain/Service"
import type * as TeamSchema from "@svc/domain/Team"
import type * as TeamRun from "@svc/domain/TeamRun"
import { Effect } from "effect"
import type { AgentCommand } from "../agent/AgentCommand.ts"
import * as AgentDetail from "../agent/AgentDetail.ts"
import * as AgentJournal from "../agent/AgentJournal.ts"
import * as AgentModule from "../agent/AgentModule.ts"
import * as AgentRunner from "../agent/AgentRunner.ts"
import * as ModelOptions from "../agent/ModelOptions.ts"
import type { ComponentModule } from "../component/ComponentModule.ts"
import { isFactory } from "../factory/Factory.ts"
import * as FactoryDetail from "../factory/FactoryDetail.ts"
import * as RunJournal from "../run/RunJournal.ts"
import type { Runnable } from "../run/Runnable.ts"
import type { RunRequest } from "../run/RunRequest.ts"
import { isTeam, type Team } from "./Team.ts"
import * as TeamCommand from "./TeamCommand.ts"
import * as TeamContinuation from "./TeamContinuation.ts"
import * as TeamDetail from "./TeamDetail.ts"
import * as TeamJournal from "./TeamJournal.ts"
import { type TeamNotFound, TeamRegistry } from "./TeamRegistry.ts"
import * as TeamRunner from "./TeamRunner.ts"
import * as TeamSummary from "./TeamSummary.ts"

/** Prepares runs of agents and teams, also as members and executors. */
export const agentOrTeamPreparer = Effect.map(AgentModule.dependencies, (dependenciesOf) => {
  const prepare = (
    command: AgentCommand | TeamCommand.TeamCommand
  ): Effect.Effect<Runnable<TeamRun.MemberResponse>> =>
    "team" in command
      ? Effect.map(
        dependenciesOf(ModelOptions.withChosen(command.team.leader, command)),
        (leader) => TeamRunner.make(command, { leader, prepare })
      )
      : Effect.map(dependenciesOf(command.agent), (made) => AgentRunner.make(command, made))
  return prepare
})

export const TeamModule: ComponentModule<
  Team,
  TeamCommand.TeamCommand,
  TeamNotFound,
  AgentModule.Services | TeamRegistry,
  Service.ConfiguredTeam,
  TeamSchema.Detail | FactoryDetail.FactoryDetail<Team["id"]>
> = {
  kind: "team",
  registry: TeamRegistry,
  isComponent: isTeam,
  isCommand: (request: RunRequest): request is TeamCommand.TeamCommand => "team" in request,
  preparer: agentOrTeamPreparer,
  decode: TeamCommand.decode,
  checkJournal: (entries) =>
    Effect.andThen(AgentJournal.decode(RunJournal.ownEntries(entries)), TeamJournal.check(entries)),
  continuation: TeamContinuation.continuation,
  asksFactory: false,
  waitingRuns: (output) =>
    AnyRun.membersOf(output).filter(({ status }) => status === "PAUSED").map(({ run_id }) => Run.Id.make(run_id)),
  toSummary: TeamSummary.make,
  toDetail: (team, context) =>
    isFactory(team)
      ? FactoryDetail.make(team, context.databaseOf(team).id)
      : TeamDetail.toDetail(team, AgentDetail.dependenciesOf(context))
}
