// What the service says of itself. All of it is known when the service starts, so all of it is made once.
import { Api, Errors } from "@svc/api"
import { Service, Time } from "@svc/domain"
import {
  type Agent,
  type AgentFactory,
  AgentRegistry,
  Databases,
  isFactory,
  ModelCatalog,
  RunEngine,
  type TableNames,
  type Team,
  type TeamFactory,
  TeamRegistry,
  WorkflowDetail,
  WorkflowRegistry
} from "@svc/runtime"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { mcpPath, ServerSettings, type Settings } from "../Settings.ts"
import { IsDraining } from "../Shutdown.ts"

const root = (settings: Settings): Service.Root => ({
  name: `${settings.name} API`,
  id: settings.id,
  version: settings.version
})

const health = (settings: Settings): Service.Health => ({
  status: "ok",
  instantiated_at: Time.formatMillis(settings.startedAt)
})

const notReady = (reason: Errors.NotReadyReason) =>
  new Errors.NotReady({ detail: `Not ready: ${reason}`, error_code: "SERVICE_UNAVAILABLE", reasons: [reason] })

/** Whether requests for runs may be sent here. */
const ready = Effect.fnUntraced(function*({ isAble }: RunEngine["Service"]) {
  const isDraining = yield* IsDraining
  if (isDraining()) return yield* notReady("draining")
  return (yield* isAble) ? { status: "ready" as const } : yield* notReady("database")
})

interface Parts {
  readonly settings: Settings
  readonly agents: AgentRegistry["Service"]
  readonly teams: TeamRegistry["Service"]
  readonly workflows: WorkflowRegistry["Service"]
  readonly databases: Databases["Service"]
  readonly models: ModelCatalog["Service"]
}

const info = ({ agents, settings, teams, workflows }: Parts): Service.Info => ({
  os_id: settings.id,
  name: settings.name,
  version: settings.version,
  agno_version: Service.apiVersion,
  agent_count: agents.registered.length,
  team_count: teams.registered.length,
  workflow_count: workflows.registered.length,
  // by OAuth it is not guarded yet: what guards it is named here when it is
  mcp: { enabled: settings.mcp.enabled, path: settings.mcp.enabled ? mcpPath : null, oauth: null },
  auth_mode: settings.authMode
})

const modelOf = ({ models }: Parts, agent: Agent.Agent): Service.Model => {
  const { id, provider } = models.describe(agent.model ?? models.defaultModel)
  return { id, provider }
}

const modelList = (parts: Parts): ReadonlyArray<Service.Model> => {
  const speaking = [...parts.agents.all, ...parts.teams.all.map(({ leader }) => leader)]
  const distinct = new Map(
    speaking.map((agent) => modelOf(parts, agent)).map((model) => [`${model.provider}\n${model.id}`, model])
  )
  return [...distinct.values()]
}

const configuredAgent = (parts: Parts, agent: Agent.Agent | AgentFactory.AgentFactory): Service.ConfiguredAgent => ({
  id: agent.id,
  ...(agent.name === undefined ? {} : { name: agent.name }),
  ...(agent.description === undefined ? {} : { description: agent.description }),
  db_id: parts.databases.infoOf(agent).id,
  // what a factory makes has a model when it is made
  ...(isFactory(agent) ? {} : {
    model: modelOf(parts, agent),
    ...(agent.metadata === undefined ? {} : { metadata: agent.metadata })
  })
})

const configuredTeam = (parts: Parts, team: Team.Team | TeamFactory.TeamFactory): Service.ConfiguredTeam => {
  const { description } = isFactory(team) ? team : team.leader
  return {
    id: team.id,
    ...(team.name === undefined ? {} : { name: team.name }),
    ...(description === undefined ? {} : { description }),
    db_id: parts.databases.infoOf(team).id,
    ...(isFactory(team) ? {} : { mode: team.mode, model: modelOf(parts, team.leader) })
  }
}

const configOf = (parts: Parts): Service.Config => {
  const { agents, databases, settings, teams, workflows } = parts
  const ids = [...new Set(databases.all.map(({ id }) => id))]
  const dbs = (holding: keyof TableNames) =>
    ids.flatMap((id) => {
      const tables = databases.all.flatMap((each) => each.id === id ? each.tables[holding] ?? [] : [])
      return tables.length === 0
        ? []
        : [{ db_id: id, domain_config: { display_name: id }, tables: [...new Set(tables)] }]
    })
  return {
    os_id: settings.id,
    name: settings.name,
    ...(settings.description === undefined ? {} : { description: settings.description }),
    available_models: settings.availableModels,
    os_database: databases.all[0].id,
    databases: ids,
    ...(Object.keys(settings.quickPrompts).length === 0 ? {} : { chat: { quick_prompts: settings.quickPrompts } }),
    session: { dbs: dbs("sessions") },
    metrics: { dbs: dbs("metrics") },
    memory: { dbs: dbs("memories") },
    learning: { dbs: dbs("learnings") },
    knowledge: { dbs: dbs("knowledge"), knowledge_instances: [] },
    evals: { dbs: dbs("evals") },
    traces: { dbs: dbs("traces") },
    agents: agents.registered.map((agent) => configuredAgent(parts, agent)),
    teams: teams.registered.map((team) => configuredTeam(parts, team)),
    workflows: workflows.registered.map((workflow) =>
      WorkflowDetail.toSummary(workflow, databases.infoOf(workflow).id)
    ),
    interfaces: []
  }
}

const parts = Effect.gen(function*() {
  const parts: Parts = {
    settings: yield* ServerSettings,
    agents: yield* AgentRegistry,
    teams: yield* TeamRegistry,
    workflows: yield* WorkflowRegistry,
    databases: yield* Databases,
    models: yield* ModelCatalog
  }
  return parts
})

/** Everything that can be found on the service. */
export const config = Effect.map(parts, configOf)

export const System = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function*(handlers) {
    const known = yield* parts
    const engine = yield* RunEngine
    const answers = {
      root: root(known.settings),
      health: health(known.settings),
      info: info(known),
      config: configOf(known),
      models: modelList(known)
    }
    return handlers.handleAll({
      root: () => Effect.succeed(answers.root),
      health: () => Effect.succeed(answers.health),
      ready: () => ready(engine),
      info: () => Effect.succeed(answers.info),
      config: () => Effect.succeed(answers.config),
      models: () => Effect.succeed(answers.models)
    })
  })
)
