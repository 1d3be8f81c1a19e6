// Logs at start: the address, the components, the features that are left out, the model, the embedder, the database,
// how callers authenticate, and settings that are probably wrong.
import { isAgent } from "@svc-runtime/agents/agent/define/Agent"
import * as BackgroundModels from "@svc-runtime/agents/agent/define/BackgroundModels"
import * as HookStages from "@svc-runtime/agents/agent/execute/hooks/HookStages"
import {
  defaultEmbedder,
  defaultModel,
  type EmbedderOptions,
  embedderProblem,
  type EmbedderRef,
  type ModelOptions,
  modelProblem,
  type ModelRef
} from "@svc-runtime/agents/Models"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import { leaderOrSelf } from "@svc-runtime/agents/team/Team"
import * as NameList from "@svc-runtime/domain/NameList"
import { currentWorker, type Worker } from "@svc-runtime/domain/Worker"
import type { Configured } from "@svc-runtime/features/Feature"
import * as Features from "@svc-runtime/features/features"
import type { Knowledge } from "@svc-runtime/features/knowledge/KnowledgeBase"
import * as KnowledgeOfComponents from "@svc-runtime/features/knowledge/KnowledgeOfComponents"
import type { Access } from "@svc-runtime/http/authorization/AuthorizationOptions"
import { mcpPath } from "@svc-runtime/http/Settings"
import { version } from "@svc-runtime/http/version"
import * as Redaction from "@svc-runtime/telemetry/Redaction"
import { Duration, Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import type { Config } from "../Config.ts"
import type { make as makeParts } from "./ApplicationParts.ts"

type Models = EmbedderOptions & ModelOptions

const describeModel = (name: string) =>
  name === "demo"
    ? "the demo model (set MODEL and a provider's key for a real one)"
    : name

const nameOf = (ref: EmbedderRef | ModelRef): string => {
  if (typeof ref === "string") return ref
  return "id" in ref ? ref.id : `${ref.provider}:${ref.modelId}`
}

const describeEmbedder = (embedder: EmbedderRef | undefined): string => {
  if (embedder === undefined) return "none, so nothing is found by its meaning (set EMBEDDER)"
  return embedder === "demo" ? "the demo embedder, which compares words" : nameOf(embedder)
}

/** Which providers get texts. */
export const describeModels = (options: Models): string =>
  [
    `Model: ${describeModel(defaultModel(options))}`,
    ...(options.judge === undefined ? [] : [`Judge: ${nameOf(options.judge)}`]),
    `Embedder: ${describeEmbedder(defaultEmbedder(options))}`
  ].join(". ")

const describeAccess = ({ settings }: Access, host: string): string => {
  const { enforceScopes, mode, userIsolation } = settings
  if (mode === "none") return `Open: callers need no credential. The service is bound to ${host}`
  if (mode === "security_key") return "Closed: callers need OS_SECURITY_KEY, or the token of a service account"
  const scopes = enforceScopes ? "scopes are enforced" : "scopes are not enforced (AUTHORIZATION is off)"
  const users = userIsolation ? "users are isolated" : "users are not isolated (USER_ISOLATION is off)"
  return `Closed: callers need a JSON Web Token, or the token of a service account; ${scopes}, ${users}`
}

/** Warns of settings that have no effect or are weak. */
const warnings = ({ settings }: Access): ReadonlyArray<string> => {
  const { mode, securityKey } = settings
  if (securityKey === undefined) return []
  if (mode === "jwt") {
    return ["OS_SECURITY_KEY is ignored because keys for tokens are set. Unset one of the two"]
  }
  return Redacted.value(securityKey).length < 16
    ? ["OS_SECURITY_KEY has fewer than 16 characters and can be guessed. Use `openssl rand -base64 32`"]
    : []
}

/** Variables that the service does not know, and those with values that it does not. */
export const ignoredSettings = (
  { misspelt, traces, workers }: Pick<Config, "misspelt" | "traces" | "workers">,
  worker: Worker | undefined
): ReadonlyArray<string> => [
  ...misspelt,
  ...(workers > 1 && worker === undefined ? ["WORKERS is ignored. Only `serve` and `run` start processes"] : []),
  ...traces.warnings
]

type Parts = Effect.Success<ReturnType<typeof makeParts>>
type Components = Pick<Parts, "agents" | "teams">
type Served = Components & Pick<Parts, "workflows">

/** The models of background jobs that no run would tell of, with what to set. */
export const unusableModels = (models: Models, { agents, teams }: Components): ReadonlyArray<string> => {
  const served = [...agents, ...teams].map(leaderOrSelf).filter(isAgent)
  return served.flatMap(BackgroundModels.of).flatMap(({ model, use }) => {
    const problem = modelProblem(models, model ?? defaultModel(models))
    return problem === undefined ? [] : [`The jobs for ${use} will fail. ${problem}`]
  })
}

/** A judge that cannot be used, with what to set. */
export const unusableJudge = (models: Models): ReadonlyArray<string> => {
  const problem = models.judge === undefined ? undefined : modelProblem(models, models.judge)
  return problem === undefined ? [] : [`Judges of evaluations will fail. ${problem}`]
}

/** The embedders of the service and of its knowledge bases that cannot be used, with what to set. */
export const unusableEmbedders = (models: Models, bases: ReadonlyArray<Knowledge>): ReadonlyArray<string> => {
  const problemOf = (ref: EmbedderRef | undefined) => ref === undefined ? undefined : embedderProblem(models, ref)
  const own = problemOf(defaultEmbedder(models))
  return [
    ...(own === undefined ? [] : [`Nothing is embedded. ${own}`]),
    ...[...new Set(bases)].flatMap(({ embedder, name }) => {
      const problem = problemOf(embedder)
      return problem === undefined ? [] : [`Uploads to the knowledge '${name ?? "knowledge"}' will fail. ${problem}`]
    })
  ]
}

/** The models that cannot be used of agents, of members and of steps, with what to set. */
export const unusableRunModels = (models: Models, { agents, teams, workflows }: Served): ReadonlyArray<string> => {
  const reached = ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()
  const idsOf = new Map<string, Array<string>>()
  for (const { fallbackModels, id, model } of reached) {
    const problem = modelProblem(models, model ?? defaultModel(models))
    if (problem === undefined) continue
    const hasOther = fallbackModels.some((fallback) => modelProblem(models, fallback) === undefined)
    const line = `${hasOther ? "use a fallback model" : "will fail"}. ${problem}`
    idsOf.set(line, [...idsOf.get(line) ?? [], id])
  }
  return [...idsOf].map(([line, ids]) => `Runs of ${NameList.first(ids)} ${line}`)
}

/** Which answers are not shown while they arrive, and why. */
export const wholeAnswers = ({ agents, teams, workflows }: Served): ReadonlyArray<string> => {
  const idsOf = new Map<string, Array<string>>()
  for (const agent of ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()) {
    const names = HookStages.needWhole({ agent }).map(({ name, shows }) =>
      `the ${shows === undefined ? "hook" : "guardrail"} ${name}`
    )
    if (names.length > 0) idsOf.set(names.join(" and "), [...idsOf.get(names.join(" and ")) ?? [], agent.id])
  }
  return [...idsOf].map(([hooks, ids]) => `Answers of ${NameList.first(ids)} are shown as a whole, because of ${hooks}`)
}

/** An address can have a password, and a key in its query. */
const withoutSecrets = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return Redaction.redact(`${origin}${pathname}`)
}

/** Where traces are stored and sent. It shows a variable with a misspelled name, which is ignored. */
export const describeTraces = Effect.fnUntraced(function*(
  { storedTraces, traces }: Pick<Config, "storedTraces" | "traces">,
  features: ReadonlyArray<Pick<Configured, "retention">>
) {
  const tasks = (yield* Effect.forEach(features, ({ retention }) => retention)).flat()
  const age = tasks.find(({ name }) => name === Features.traces.name)?.age
  const places = [
    ...(storedTraces === undefined ? [] : [`stored for ${age === undefined ? "ever" : Duration.format(age)}`]),
    ...(traces.export === undefined ? [] : [`sent to ${withoutSecrets(traces.export.url)}`])
  ]
  return `Traces: ${places.join("; ") || "neither stored nor sent (set TRACES or OTEL_EXPORTER_OTLP_ENDPOINT)"}`
})

/** Where to look for what the service has. */
export const describeComponents = ({ agents, teams, workflows }: Served): string => {
  const kinds = [["Agents", agents], ["Teams", teams], ["Workflows", workflows]] as const
  const named = kinds.flatMap(([kind, components]) =>
    components.length === 0 ? [] : [`${kind}: ${NameList.first(components.map(({ id }) => id))}`]
  )
  return named.length === 0 ? "There are no agents, teams or workflows" : named.join(". ")
}

/** The features that the service does not have. Undefined: it has all. */
export const describeFeatures = ({ features }: Pick<Parts, "features">): string | undefined => {
  const missing = Features.features.filter(({ name }) => !features.some((each) => each.name === name))
  return missing.length === 0 ? undefined : `Features left out: ${missing.map(({ name }) => name).join(", ")}`
}

/** A first request, for a person at this machine. Undefined: callers need a credential, or there is no agent. */
const describeFirstRequest = (url: string, { access, agents }: Started): string | undefined => {
  const [agent] = agents
  return agent === undefined || access.settings.mode !== "none"
    ? undefined
    : `Try it: curl ${url}/agents/${agent.id}/runs -F message=Hello -F stream=false`
}

interface Started
  extends Pick<Parts, "access" | "agents" | "features" | "knowledge" | "models" | "teams" | "workflows">
{}

/** Where the service listens. */
export const urlOf = Effect.fnUntraced(function*({ host, port }: Pick<Config, "host" | "port">) {
  const { address } = yield* HttpServer.HttpServer
  return `http://${host.includes(":") ? `[${host}]` : host}:${"port" in address ? address.port : port}`
})

export const logStartup = Effect.fnUntraced(function*(config: Config, parts: Started) {
  const { access, models } = parts
  const url = yield* urlOf(config)
  const database = config.databaseUrl === undefined ? `the embedded one in ${config.dataDir}` : "PostgreSQL"
  const places = [
    ...(config.console ? [`console: ${url}/console/`] : []),
    ...(config.docs ? [`documentation: ${url}/docs`] : []),
    ...(config.mcp.enabled ? [`assistants, over MCP: ${url}${mcpPath}`] : [])
  ]
  yield* Effect.logInfo(`Svc ${version} listens on ${url}${places.length === 0 ? "" : ` (${places.join("; ")})`}`)
  // the others would say the same again
  const worker = yield* currentWorker
  if (worker !== undefined && worker.number > 1) return
  yield* Effect.logInfo(describeComponents(parts))
  const missing = describeFeatures(parts)
  if (missing !== undefined) yield* Effect.logInfo(missing)
  for (const line of wholeAnswers(parts)) yield* Effect.logInfo(line)
  yield* Effect.logInfo(`${describeModels(models)}. Database: ${database}`)
  yield* Effect.logInfo(yield* describeTraces(config, parts.features))
  yield* Effect.logInfo(describeAccess(access, config.host))
  const first = describeFirstRequest(url, parts)
  if (first !== undefined) yield* Effect.logInfo(first)
  const unusable = [
    ...ignoredSettings(config, worker),
    ...unusableRunModels(models, parts),
    ...unusableModels(models, parts),
    ...unusableJudge(models),
    ...unusableEmbedders(models, KnowledgeOfComponents.of(parts))
  ]
  for (const warning of [...warnings(access), ...unusable]) yield* Effect.logWarning(warning)
})
