// The modules of all kinds of components. This is the one list of them.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Service from "@svc-runtime/domain/Service"
import type * as TeamSchema from "@svc-runtime/domain/Team"
import type * as WorkflowSchema from "@svc-runtime/domain/Workflow"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import type { Runners } from "@svc-runtime/engine/run/Runners"
import { Effect, type Layer } from "effect"
import * as InnerContinuation from "../agent/continue/InnerContinuation.ts"
import { type Agent, isAgent } from "../agent/define/Agent.ts"
import * as AgentDetail from "../agent/define/AgentDetail.ts"
import type { AgentFactory } from "../agent/define/AgentFactory.ts"
import { type AgentNotFound, AgentRegistry } from "../agent/define/AgentRegistry.ts"
import * as AgentCommand from "../agent/execute/AgentCommand.ts"
import type { Services as AgentServices } from "../agent/execute/AgentDependencies.ts"
import * as AgentJournal from "../agent/execute/AgentJournal.ts"
import * as InnerRunsJournal from "../agent/execute/InnerRunsJournal.ts"
import * as RunProgress from "../agent/read/RunProgress.ts"
import { type ComponentModule, listing } from "../component/ComponentModule.ts"
import * as ComponentRunners from "../component/ComponentRunners.ts"
import type { SummaryContext } from "../component/Discovery.ts"
import type { StoredComponents } from "../component/StoredComponents.ts"
import { isFactory } from "../factory/Factory.ts"
import * as FactoryDetail from "../factory/FactoryDetail.ts"
import type { FactoryResolver } from "../factory/FactoryResolver.ts"
import * as AgentOrTeam from "../nested/AgentOrTeam.ts"
import { isTeam, type Team } from "../team/Team.ts"
import * as TeamCommand from "../team/TeamCommand.ts"
import * as TeamDetail from "../team/TeamDetail.ts"
import type { TeamFactory } from "../team/TeamFactory.ts"
import { type TeamNotFound, TeamRegistry } from "../team/TeamRegistry.ts"
import type { AnyWorkflow } from "../workflow/define/Node.ts"
import * as WorkflowJournal from "../workflow/execute/WorkflowJournal.ts"
import * as ExecutorApprovals from "../workflow/pause/ExecutorApprovals.ts"
import * as WorkflowContinuation from "../workflow/pause/WorkflowContinuation.ts"
import { isWorkflow } from "../workflow/Workflow.ts"
import * as WorkflowCommand from "../workflow/WorkflowCommand.ts"
import * as WorkflowDetail from "../workflow/WorkflowDetail.ts"
import { type WorkflowNotFound, WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"

// What agents and teams have in common as kinds of components: a model runs them, also the leader of a team.

const modelRun = {
  preparer: AgentOrTeam.preparer,
  checkJournal: (entries: ReadonlyArray<Json.Object>) =>
    Effect.andThen(AgentJournal.decode(RunJournal.ownEntries(entries)), InnerRunsJournal.check(entries)),
  messagesIn: RunProgress.ofJournal,
  asksFactory: false,
  waitingRuns: InnerContinuation.waitingRuns
}

// Agents as a kind of component.

const agentSummary = (
  agent: Agent | AgentFactory,
  { databaseOf, modelOf }: SummaryContext
): Service.ConfiguredAgent => ({
  id: agent.id,
  ...(agent.name === undefined ? {} : { name: agent.name }),
  ...(agent.description === undefined ? {} : { description: agent.description }),
  db_id: databaseOf(agent),
  // an agent of a factory has a model when it is built
  ...(isFactory(agent) ? {} : {
    model: modelOf(agent.model),
    ...(agent.metadata === undefined ? {} : { metadata: agent.metadata })
  })
})

const AgentModule: ComponentModule<
  Agent,
  AgentCommand.AgentCommand,
  AgentNotFound,
  AgentRegistry,
  Service.ConfiguredAgent,
  AgentSchema.Detail | FactoryDetail.FactoryDetail<Agent["id"]>,
  AgentServices
> = {
  ...modelRun,
  kind: "agent",
  registry: AgentRegistry,
  isComponent: isAgent,
  isCommand: (command: RunCommand): command is AgentCommand.AgentCommand => "agent" in command,
  decode: AgentCommand.decode,
  continuation: InnerContinuation.ofAgent,
  toSummary: agentSummary,
  toDetail: (agent, context) =>
    isFactory(agent)
      ? FactoryDetail.make(agent, context.databaseOf(agent).id)
      : AgentDetail.toDetail(agent, AgentDetail.dependenciesOf(context)(agent))
}

// Teams as a kind of component. Their members are agents and teams.

const teamSummary = (team: Team | TeamFactory, { databaseOf, modelOf }: SummaryContext): Service.ConfiguredTeam => {
  const { description } = isFactory(team) ? team : team.leader
  return {
    id: team.id,
    ...(team.name === undefined ? {} : { name: team.name }),
    ...(description === undefined ? {} : { description }),
    db_id: databaseOf(team),
    ...(isFactory(team) ? {} : { mode: team.mode, model: modelOf(team.leader.model) })
  }
}

const TeamModule: ComponentModule<
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
  toSummary: teamSummary,
  toDetail: (team, context) =>
    isFactory(team)
      ? FactoryDetail.make(team, context.databaseOf(team).id)
      : TeamDetail.toDetail(team, AgentDetail.dependenciesOf(context))
}

// Workflows as a kind of component. Their steps are executed by agents, teams and workflows.

const workflowPreparer = Effect.map(
  AgentOrTeam.preparer,
  (prepare) => (command: WorkflowCommand.WorkflowCommand) => prepare(command)
)

const WorkflowModule: ComponentModule<
  AnyWorkflow,
  WorkflowCommand.WorkflowCommand,
  WorkflowNotFound,
  WorkflowRegistry,
  WorkflowSchema.Summary,
  WorkflowSchema.Detail,
  AgentServices
> = {
  kind: "workflow",
  registry: WorkflowRegistry,
  isComponent: isWorkflow,
  isCommand: (command: RunCommand): command is WorkflowCommand.WorkflowCommand => "workflow" in command,
  preparer: workflowPreparer,
  decode: WorkflowCommand.decode,
  checkJournal: WorkflowJournal.decode,
  messagesIn: () => Effect.succeed([]),
  continuation: WorkflowContinuation.continuation,
  asksFactory: true,
  waitingRuns: (output) =>
    AnyRun.isWorkflow(output) ? (output.step_requirements ?? []).flatMap(ExecutorApprovals.runsOf) : [],
  // its steps have models
  toSummary: (workflow, { databaseOf }) => WorkflowDetail.toSummary(workflow, databaseOf(workflow)),
  toDetail: (workflow, context) => {
    const databaseId = context.databaseOf(workflow).id
    return isFactory(workflow)
      ? WorkflowDetail.ofFactory(workflow, databaseId)
      : WorkflowDetail.toDetail(workflow, { databaseId, around: AgentDetail.dependenciesOf(context) })
  }
}

export const modules = { agent: AgentModule, team: TeamModule, workflow: WorkflowModule } as const

/** The component of a command of any kind. */
export const componentOf = (command: RunCommand) => {
  if (modules.agent.isCommand(command)) return command.agent
  if (modules.team.isCommand(command)) return command.team
  return modules.workflow.isCommand(command) ? command.workflow : undefined
}

/** What the engine needs of all kinds. */
export const runners: Layer.Layer<
  Runners,
  never,
  AgentServices | AgentRegistry | FactoryResolver | StoredComponents | TeamRegistry | WorkflowRegistry
> = ComponentRunners.layer<
  AgentServices | AgentRegistry | FactoryResolver | StoredComponents | TeamRegistry | WorkflowRegistry
>({
  agent: ComponentRunners.make(modules.agent),
  team: ComponentRunners.make(modules.team),
  workflow: ComponentRunners.make(modules.workflow)
})

/** The registered components and factories of all kinds. */
export const registries = Effect.all({ agent: AgentRegistry, team: TeamRegistry, workflow: WorkflowRegistry })

/** The registered components of all kinds, as discovery lists them. */
export const listings = Effect.all({
  agent: listing(modules.agent),
  team: listing(modules.team),
  workflow: listing(modules.workflow)
})
