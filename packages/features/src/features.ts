// The features of a service. A service without a line of this list has nothing of that feature. `agentParts.ts` and
// `Api.ts` are lists too, because types depend on them.
import { AgentParts } from "@svc-runtime/agents/agent/execute/RunPart"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import { kindOf } from "@svc-runtime/agents/nested/InnerCommand"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import * as ServiceApi from "@svc-runtime/api/ServiceApi"
import type { Named } from "@svc-runtime/engine/database/Stores"
import { Array, Config as Env, ConfigProvider, Effect, Function, Layer, Record } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { Api, Base } from "./Api.ts"
import { audit } from "./audit/feature.ts"
import { backgroundTasks } from "./backgroundTasks/feature.ts"
import { budgets } from "./budgets/feature.ts"
import { channels } from "./channels/feature.ts"
import { components } from "./components/feature.ts"
import type { Declarable } from "./declarations/DeclaredOption.ts"
import { declarations } from "./declarations/feature.ts"
import { evaluation } from "./evaluation/feature.ts"
import type { Configured, Database, Feature, Service } from "./Feature.ts"
import { feedback } from "./feedback/feature.ts"
import { knowledge } from "./knowledge/feature.ts"
import * as KnowledgeOfComponents from "./knowledge/KnowledgeOfComponents.ts"
import { learning } from "./learning/feature.ts"
import { media } from "./media/feature.ts"
import { memory } from "./memory/feature.ts"
import { metrics } from "./metrics/feature.ts"
import { prompts } from "./prompts/feature.ts"
import { registry } from "./registry/feature.ts"
import { roles } from "./roles/feature.ts"
import { rollouts } from "./rollouts/feature.ts"
import { schedules } from "./schedules/feature.ts"
import { skills } from "./skills/feature.ts"
import { summaries } from "./summaries/feature.ts"
import { taskPush } from "./taskPush/feature.ts"
import { traces } from "./traces/feature.ts"
import { webhooks } from "./webhooks/feature.ts"
import { workspace } from "./workspace/feature.ts"

// the declarations of a feature are known where this list is imported
export {
  audit,
  backgroundTasks,
  budgets,
  channels,
  components,
  declarations,
  evaluation,
  feedback,
  knowledge,
  learning,
  media,
  memory,
  metrics,
  prompts,
  registry,
  roles,
  rollouts,
  schedules,
  skills,
  summaries,
  taskPush,
  traces,
  webhooks,
  workspace
}

const list = [
  schedules,
  memory,
  learning,
  knowledge,
  summaries,
  evaluation,
  registry,
  components,
  traces,
  metrics,
  feedback,
  media,
  taskPush,
  webhooks,
  declarations,
  skills,
  budgets,
  audit,
  backgroundTasks,
  roles,
  workspace,
  rollouts,
  prompts,
  channels
]

export type Name = (typeof list)[number]["name"]

/** In the order of their migrations, in which their services, handlers and jobs are built as well. */
export const features: ReadonlyArray<Feature<Name>> = list

/** All features without these. */
export const allBut = (names: ReadonlyArray<Name>): ReadonlyArray<Feature<Name>> =>
  features.filter(({ name }) => !names.includes(name))

/** Why a service cannot leave out these features. Undefined: it can. */
export const unknownFeature = (names: ReadonlyArray<string>): string | undefined => {
  const known: ReadonlyArray<string> = features.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  return unknown === undefined
    ? undefined
    : `There is no feature '${unknown}' for the option without. The features are: ${known.join(", ")}`
}

type Served = Pick<Feature, "groups" | "name">

const groupsOf = (api: ServiceApi.AnyApi) => Object.values<HttpApiGroup.Constraint>(api.groups)
const everything = ServiceApi.untyped(Api)
const ofEveryService = groupsOf(ServiceApi.untyped(Base))

const apis = new Map<string, ServiceApi.AnyApi>()

/** The API of a service that has only these features. Services with the same features share it. */
export const apiOf = (served: ReadonlyArray<Served>): ServiceApi.AnyApi => {
  const present = new Set([...ofEveryService, ...served.flatMap(({ groups }) => groups)])
  const groups = groupsOf(everything).filter((group) => present.has(group))
  const key = groups.map(({ identifier }) => identifier).join()
  const api = apis.get(key) ?? (groups.length === groupsOf(everything).length
    ? everything
    : ServiceApi.untyped(ServiceApi.empty.add(...groups as Array.NonEmptyArray<HttpApiGroup.Constraint>)))
  apis.set(key, api)
  return api
}

/** What these features add to the agents of one database. */
export const agentParts = (served: ReadonlyArray<Configured>, database: Database) =>
  Layer.effect(AgentParts, Effect.map(Effect.forEach(served, ({ agents }) => agents(database)), Array.flatten))

const declaredOptions = features.flatMap(({ declared }) => declared ?? [])

/** The options with resources that the features store. */
export const declaredKinds: Readonly<Record<string, "list">> = Object.fromEntries(
  declaredOptions.map(({ option }) => [option, "list"])
)

export const declaredIn = (options: Declarable): Declarable =>
  Object.fromEntries(declaredOptions.map(({ option }) => [option, options[option]]))

/** Throws for declared resources with options that they do not have, and for values of another kind. */
export const checkDeclared = (declarable: Declarable): void => {
  for (const { check } of declaredOptions) check(declarable)
}

/** Why a service with these features cannot be what the application declares. Undefined: it can. */
export const missingFeature = (
  served: ReadonlyArray<Served>,
  { agents, knowledge, registry, teams, workflows, ...declarable }: Pick<
    Service,
    keyof Declarable | keyof KnowledgeOfComponents.Components | "registry"
  >
): string | undefined => {
  const names = new Set(served.map(({ name }) => name))
  const uses = [
    ...[...ReachedComponents.of([...agents, ...teams, ...workflows]).agents].flatMap(([agent, kind]) =>
      [
        ...agent.parts.filter((part) => part.isUsed(agent)).map((part) => part.name),
        ...(agent.onlineScoring === undefined ? [] : [evaluation.name, feedback.name])
      ].map((name) => ({ name, user: `${kind === "team" ? "Team" : "Agent"} '${agent.id}'` }))
    ),
    ...(knowledge.length === 0 ? [] : [{ name: "knowledge", user: "The option knowledge" }]),
    ...KnowledgeOfComponents.of({ agents, knowledge, teams, workflows }).flatMap(({ folder, name = "" }) =>
      folder === undefined ? [] : [{ name: declarations.name, user: `The option folder of knowledge '${name}'` }]
    ),
    ...(registry === undefined ? [] : [{ name: "registry", user: "The option registry" }]),
    ...features.flatMap(({ declared, name }) =>
      declared === undefined || (declarable[declared.option] ?? []).length === 0
        ? []
        : [name, declarations.name].map((name) => ({ name, user: `The option ${declared.option}` }))
    )
  ]
  const missing = uses.find(({ name }) => !names.has(name))
  return missing === undefined ? undefined : `${missing.user} needs the feature ${missing.name}, which this service ` +
    "does not have. Remove it from the option without, or leave out what needs it"
}

/** Why the service cannot start with what the application declares. Undefined: it can. */
export const problemOfDeclared = (served: ReadonlyArray<Configured>, declarable: Declarable): string | undefined =>
  served.flatMap(({ problemOf }) => problemOf(declarable) ?? [])[0]

/** A component that would work in the background, and that another node could not find. Undefined: there is none. */
export const unservedTask = (
  { agents, teams, workflows }: Pick<Service, "agents" | "teams" | "workflows">
): string | undefined => {
  const served = new Set<unknown>([...agents, ...teams, ...workflows])
  const reached = ReachedComponents.of(served)
  const called = [
    ...[...reached.agents.keys()].flatMap((agent) =>
      ComponentTool.of(agent).filter(({ background }) => background !== undefined).map(({ component, name }) => ({
        component,
        caller: `Tool '${name}' of '${agent.id}'`
      }))
    ),
    ...[...reached.teams].flatMap(({ backgroundMembers, id, members }) =>
      [...members.values()].filter((member) => backgroundMembers.has(member.id)).map((component) => ({
        component,
        caller: `Team '${id}'`
      }))
    )
  ]
  const unserved = called.find(({ component }) => !served.has(component))
  if (unserved === undefined) return undefined
  const { caller, component } = unserved
  const kind = kindOf(component)
  return `${caller} calls the ${kind} '${component.id}' in the background, so the service has to serve it: add it to ` +
    `the option ${kind}s`
}

/** The settings of features by their names. */
export const settingsOf = (served: ReadonlyArray<Feature>): Env.Config<Readonly<Record<string, unknown>>> =>
  Env.all(Object.fromEntries(served.map(({ name, settings }) => [name, settings])))

/** The features with settings that were read by `settingsOf`. */
export const configured = (
  served: ReadonlyArray<Feature>,
  settings: Readonly<Record<string, unknown>>
): ReadonlyArray<Configured> => served.map((feature) => feature.configure(settings[feature.name]))

const defaultOf = Function.memoize(({ name, settings }: Feature): Readonly<Record<string, unknown>> => ({
  [name]: Effect.runSync(Effect.orDie(settings.parse(ConfigProvider.fromUnknown({}))))
}))

/** The settings of a service without environment variables, changed by `changes`. */
export const defaultSettings = (
  served: ReadonlyArray<Feature>,
  changes: Readonly<Record<string, object | undefined>> = {}
): Readonly<Record<string, unknown>> =>
  Record.map(
    Object.assign({}, ...served.map(defaultOf)) as Readonly<Record<string, unknown>>,
    (settings, name) => changes[name] === undefined ? settings : { ...(settings as object), ...changes[name] }
  )

/** The stores of these features by their names. */
export const storeNames = (served: ReadonlyArray<Pick<Feature, "stores">>): Named =>
  Object.assign({}, ...served.map(({ stores }) => stores?.services))
