// The description of the service. It does not change after the start, so it is made once.
import type { SummaryContext } from "@svc-runtime/agents/component/Discovery"
import { Databases } from "@svc-runtime/agents/database/Databases"
import { type ServedDatabase, ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { ModelCatalog, type ModelRef } from "@svc-runtime/agents/Models"
import * as ComponentModules from "@svc-runtime/agents/modules/ComponentModules"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import { System as Endpoints } from "@svc-runtime/api/System"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import type * as Node from "@svc-runtime/domain/Node"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import * as Service from "@svc-runtime/domain/Service"
import * as Time from "@svc-runtime/domain/Time"
import type { TableNames } from "@svc-runtime/engine/database/Database"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as NodeListing from "@svc-runtime/engine/run/leases/NodeListing"
import * as StoredListing from "@svc-runtime/features/components/StoredListing"
import { type Instance, KnowledgeRegistry, table } from "@svc-runtime/features/knowledge/KnowledgeRegistry"
import { resourceParts } from "@svc-runtime/features/registry/resourceParts"
import * as Resources from "@svc-runtime/features/registry/Resources"
import { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import { usable } from "@svc-runtime/http/authorization/RunnableComponent"
import { group } from "@svc-runtime/http/group"
import { Stopping } from "@svc-runtime/http/requests/Shutdown"
import { type Domain, mcpPath, type Protocols, ServerSettings, type Settings } from "@svc-runtime/http/Settings"
import { Effect, Option, Record } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Metrics from "../workers/Metrics.ts"
import * as RootPage from "./RootPage.ts"

// The nodes of each database.
const tenths = (seconds: number): number => Math.round(seconds * 10) / 10

const nodeOf = ({ isAlive, isThis, node, runs, silentFor }: NodeListing.ListedNode): Node.Node => ({
  node,
  state: isAlive ? "alive" : "silent",
  is_this_node: isThis,
  seconds_since_heartbeat: tenths(silentFor),
  runs
})

/** A database that does not reply hides none of the others. */
const inDatabase = ({ database: { id, runs }, engine }: ServedDatabase): Effect.Effect<Node.DatabaseNodes> =>
  NodeListing.list(runs, engine.node).pipe(
    Effect.map(({ nodes, waitingRuns }) => ({
      db_id: id,
      is_available: true,
      waiting_runs: waitingRuns,
      nodes: nodes.map(nodeOf)
    })),
    Effect.orElseSucceed(() => ({ db_id: id, is_available: false, waiting_runs: 0, nodes: [] }))
  )

const listNodes = Effect.map(
  ServedDatabases,
  (served) => Effect.suspend(() => Effect.forEach(served.opened(), inDatabase, { concurrency: 4 }))
)

// What `GET /config` lists of the protocols that are served, and where.
const interfacesOf = ({ a2a, agui, chat, copilotkit, openai }: Protocols) =>
  [
    { type: "a2a", version: "1.0", route: a2a.prefix, enabled: a2a.enabled },
    { type: "agui", version: "1.0", route: "/agents/{id}/agui", enabled: agui.enabled },
    { type: "chat", version: "v1", route: "/agents/{id}/chat", enabled: chat.enabled },
    { type: "copilotkit", version: "1", route: copilotkit.prefix, enabled: copilotkit.enabled },
    { type: "openai", version: "v1", route: openai.prefix, enabled: openai.enabled }
  ].flatMap(({ enabled, ...served }) => enabled ? [served] : [])

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

/** Whether the node accepts runs. */
const ready = Effect.fnUntraced(function*({ isAble }: RunEngine["Service"], { isDraining }: Stopping["Service"]) {
  if (isDraining()) return yield* notReady("draining")
  return (yield* isAble) ? { status: "ready" as const } : yield* notReady("database")
})

const scrapeScope = "metrics:scrape"

/** Totals are those of all users. */
const mayScrape = CurrentPrincipal.use((principal) =>
  principal.isIsolated && !Principal.may(principal, scrapeScope)
    ? Effect.fail(Errors.forbidden(
      `These metrics are those of all users: a caller who sees only their own data needs the scope ${scrapeScope} too`
    ))
    : Effect.void
)

interface Parts {
  readonly settings: Settings
  readonly listings: Effect.Success<typeof ComponentModules.listings>
  readonly databases: Databases["Service"]
  readonly models: ModelCatalog["Service"]
  readonly knowledge: ReadonlyArray<Instance>
  readonly hasTraces: boolean
}

const oauthOf = ({ mcp: { oauth } }: Settings): Service.Info["mcp"]["oauth"] =>
  oauth === undefined ? null : { authorization_servers: [oauth.issuer], resource: oauth.resource }

const info = ({ listings, settings }: Parts): Service.Info => ({
  os_id: settings.id,
  name: settings.name,
  version: settings.version,
  agno_version: Service.apiVersion,
  agent_count: listings.agent.count,
  team_count: listings.team.count,
  workflow_count: listings.workflow.count,
  mcp: { enabled: settings.mcp.enabled, path: mcpPath, oauth: oauthOf(settings) },
  auth_mode: settings.authMode,
  features: settings.features
})

/**
 * The databases with sessions: all for a caller with a scope that is about the data of each, and else the service's own
 * and those of the components that the caller may read or run.
 */
const choosableIn = (parts: Parts) => {
  const { databases: { all: [own, ...others] }, listings } = parts
  const all = [...new Set([own, ...others].flatMap(({ id, tables }) => id === own.id || tables.sessions ? [id] : []))]
  const context = contextOf(parts)
  const components = ComponentKind.ComponentKind.literals.flatMap((kind) =>
    listings[kind].summaries(context).map(({ db_id, id }) => ({
      db_id,
      target: { id, resource: ComponentKind.descriptions[kind].resource }
    }))
  )
  return (grants: Scope.Grants | undefined): ReadonlyArray<string> => {
    if (grants === undefined || [...grants.granted].some((scope) => !Scope.isPerResource(scope.split(":")[0]))) {
      return all
    }
    const isReached = ({ target }: (typeof components)[number]) =>
      ["read", "run"].some((action) => Scope.allows(grants, `${target.resource}:${action}`, target))
    const reached = new Set([own.id, ...components.filter(isReached).map(({ db_id }) => db_id)])
    return all.filter((id) => reached.has(id))
  }
}

const callerOf =
  (databasesOf: ReturnType<typeof choosableIn>) =>
  ({ grants, isIsolated, isScoped, user_id }: Principal.Principal): Service.Caller => {
    const limits = !isScoped || (grants?.isAdmin === true && grants.isOfTenant === undefined)
      ? undefined
      : grants ?? Scope.grants([], "")
    return {
      user_id: user_id ?? null,
      scopes: limits === undefined ? null : Scope.listed(limits),
      is_isolated: isIsolated,
      databases: databasesOf(limits)
    }
  }

const modelOf = ({ models }: Parts) => (model: ModelRef = models.defaultModel): Service.Model => {
  const { id, provider } = models.describe(model)
  return { id, provider }
}

const named = ({ settings: { displayNames: { databases } } }: Parts, id: string) => ({
  db_id: id,
  domain_config: { display_name: databases?.[id] ?? id }
})

const domain = <Fields extends object>({ settings: { displayNames } }: Parts, name: Domain, fields: Fields) => {
  const { [name]: display_name } = displayNames
  return display_name === undefined ? fields : { display_name, ...fields }
}

/** The databases with knowledge, and the knowledge bases. */
const knowledgeOf = (parts: Parts): Service.Config["knowledge"] =>
  domain(parts, "knowledge", {
    dbs: [...new Set(parts.knowledge.map(({ database }) => database))].map((db_id) => ({
      ...named(parts, db_id),
      tables: [table]
    })),
    knowledge_instances: parts.knowledge.map(({ database, id, knowledge: { description }, name }) => ({
      id,
      name,
      ...(description === undefined ? {} : { description }),
      db_id: database,
      table
    }))
  })

const contextOf = (parts: Parts): SummaryContext => ({
  databaseOf: (component) => parts.databases.infoOf(component).id,
  modelOf: modelOf(parts)
})

const configOf = (parts: Parts): Service.Config => {
  const { databases, listings, settings } = parts
  const context = contextOf(parts)
  const ids = [...new Set(databases.all.map(({ id }) => id))]
  const own = databases.all[0].id
  const dbs = (holding: keyof TableNames) =>
    ids.flatMap((id) => {
      const tables = databases.all.flatMap((each) => each.id === id ? each.tables[holding] ?? [] : [])
      return tables.length === 0 ? [] : [{ ...named(parts, id), tables: [...new Set(tables)] }]
    })
  return {
    os_id: settings.id,
    name: settings.name,
    ...(settings.description === undefined ? {} : { description: settings.description }),
    available_models: settings.availableModels,
    os_database: own,
    databases: [...new Set([...ids, ...parts.knowledge.map(({ database }) => database)])],
    ...(Object.keys(settings.quickPrompts).length === 0 ? {} : { chat: { quick_prompts: settings.quickPrompts } }),
    ...(Object.keys(settings.manifest).length === 0 ? {} : { manifest: settings.manifest }),
    session: domain(parts, "session", { dbs: dbs("sessions") }),
    metrics: domain(parts, "metrics", { dbs: dbs("metrics") }),
    memory: domain(parts, "memory", { dbs: dbs("memories") }),
    learning: domain(parts, "learning", { dbs: dbs("learnings") }),
    knowledge: knowledgeOf(parts),
    evals: domain(parts, "evals", { dbs: dbs("evals") }),
    traces: domain(parts, "traces", { dbs: parts.hasTraces ? [named(parts, own)] : [] }),
    agents: listings.agent.summaries(context),
    teams: listings.team.summaries(context),
    workflows: listings.workflow.summaries(context),
    interfaces: interfacesOf(settings.protocols).map(Json.of)
  }
}

/** With the components that the caller may read or run. */
const configFor = (config: Service.Config) => (principal: Principal.Principal): Service.Config => {
  if (!principal.isScoped) return config
  const { chat } = config
  const [agents, teams, workflows] = [
    config.agents.filter(usable(principal, "agents")),
    config.teams.filter(usable(principal, "teams")),
    config.workflows.filter(usable(principal, "workflows"))
  ]
  const shown = new Set<string>([...agents, ...teams, ...workflows].map(({ id }) => id))
  const prompts = Record.filter(chat?.quick_prompts ?? {}, (_, id) => shown.has(id))
  return { ...config, ...(chat === undefined ? {} : { chat: { quick_prompts: prompts } }), agents, teams, workflows }
}

const parts = Effect.gen(function*() {
  const parts: Parts = {
    settings: yield* ServerSettings,
    listings: yield* ComponentModules.listings,
    databases: yield* Databases,
    models: yield* ModelCatalog,
    knowledge: yield* KnowledgeRegistry.instances,
    hasTraces: Option.isSome(yield* Effect.serviceOption(TraceStore))
  }
  return parts
})

/** The response of `GET /config`. */
export const config = Effect.map(parts, configOf)

const { agent, team, workflow } = ComponentModules.modules

/** Lists the stored components with a current version. */
export const storedComponents = Effect.map(
  Effect.all({
    context: Effect.map(parts, contextOf),
    agents: StoredListing.make(agent),
    teams: StoredListing.make(team),
    workflows: StoredListing.make(workflow)
  }),
  ({ agents, context, teams, workflows }) =>
    Effect.all({
      agents: agents((component) => agent.toSummary(component, context)),
      teams: teams((component) => team.toSummary(component, context)),
      workflows: workflows((component) => workflow.toSummary(component, context))
    })
)

export const System = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const known = yield* parts
    const engine = yield* RunEngine
    const stopping = yield* Stopping
    const metrics = yield* Metrics.make
    const nodes = yield* listNodes
    const caller = callerOf(choosableIn(known))
    const config = configFor(configOf(known))
    const responses = {
      root: root(known.settings),
      page: RootPage.make(known.settings),
      health: health(known.settings),
      info: info(known),
      models: Resources.modelsOf(yield* resourceParts)
    }
    return handlers.handleAll({
      root: () =>
        HttpServerRequest.HttpServerRequest.useSync(({ headers }) =>
          RootPage.isWanted(headers["accept"]) ? responses.page : responses.root
        ),
      health: () => Effect.succeed(responses.health),
      ready: () => ready(engine, stopping),
      info: () => Effect.succeed(responses.info),
      caller: () => CurrentPrincipal.useSync(caller),
      config: () => CurrentPrincipal.useSync(config),
      models: () => Effect.succeed(responses.models),
      nodes: () => Effect.andThen(mayScrape, nodes),
      prometheus: () => Effect.andThen(mayScrape, metrics.format)
    })
  })
)
