// All environment variables, except those of `AuthorizationConfig`. Each has a default that works. An invalid or unsafe
// value stops the start with a sentence that says what to change.
import type { Credentials } from "@svc-runtime/agents/Models"
import { type ByteLimits, defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import type * as Retention from "@svc-runtime/engine/run/engine/Retention"
import type * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import type { Feature } from "@svc-runtime/features/Feature"
import * as Features from "@svc-runtime/features/features"
import { entryProblem } from "@svc-runtime/fetch/FetchPolicy"
import { authorization } from "@svc-runtime/http/authorization/AuthorizationConfig"
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as Secrets from "@svc-runtime/http/calls/Secrets"
import {
  count,
  dimensions,
  flag,
  flagOr,
  limit,
  list,
  NodeTimeout,
  retention,
  secret,
  text,
  textOr,
  timeout,
  workers
} from "@svc-runtime/http/config/ConfigReaders"
import * as EnvironmentSettings from "@svc-runtime/http/config/EnvironmentSettings"
import { InvalidConfig } from "@svc-runtime/http/config/InvalidConfig"
import { checkModelNames, modelRequestSettings, providerSettings } from "@svc-runtime/http/config/ModelRequestSettings"
import * as NodeName from "@svc-runtime/http/config/NodeName"
import { startLimitSettings } from "@svc-runtime/http/config/StartLimitSettings"
import { Logging } from "@svc-runtime/http/logging/Logging"
import { defaultLimits, type Limits, type Protocols } from "@svc-runtime/http/Settings"
import { type TraceSettings, traceSettings } from "@svc-runtime/http/telemetry/TraceSettings"
import { Config as Env, ConfigProvider, Duration, Effect, type Redacted, Result } from "effect"
import { type McpSettings, mcpSettings } from "./mcp/McpSettings.ts"
import { protocolSettings } from "./ProtocolSettings.ts"

export { InvalidConfig } from "@svc-runtime/http/config/InvalidConfig"

export interface Config {
  readonly host: string
  readonly port: number
  /** Undefined: the embedded database in `dataDir`. */
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly databaseConnections: number
  /** Whether `databaseUrl` is that of a pooler in transaction mode. */
  readonly databasePooler: boolean
  readonly dataDir: string
  /** False: databases wait for a request that executes their migrations. */
  readonly migrate: boolean
  readonly storeLimits: StoreLimits.Limits
  /** The name of this process among the processes that share a database. */
  readonly node: string | undefined
  readonly nodeTimeout: Duration.Duration
  /** How many processes serve. `serve` starts them. */
  readonly workers: number
  /** How often a run may lose its node without finishing a step. */
  readonly maxTakeovers: number
  /** How often a run that cannot be restored is released and retried. */
  readonly maxRestores: number
  /** How long a run waits for a node that can execute it. */
  readonly unservedTimeout: Duration.Duration
  /** Whether forms of runs with unknown fields are refused. */
  readonly strictRequests: boolean
  readonly docs: boolean
  readonly console: boolean
  readonly consoleOAuthClientId: string | undefined
  readonly mcp: McpSettings
  readonly protocols: Protocols
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly corsOrigins: ReadonlyArray<string>
  readonly logging: Logging
  /** Where spans go. */
  readonly traces: TraceSettings
  readonly shutdownTimeout: Duration.Duration
  readonly drainTimeout: Duration.Duration
  /** The maximum number of executing and queued runs, and the bytes of their inputs. */
  readonly maxRuns: number
  /** Whether contents of knowledge with vectors of another embedder are embedded again. */
  readonly embedAgain: boolean
  readonly maxRunInputBytes: number
  /** The limits of runs: of each user, of each component, and of the service. */
  readonly startLimits: StartLimits.Options
  /** The settings of features, by their names. */
  readonly features: Readonly<Record<string, unknown>>
  /** The size limits of the values of a run. */
  readonly byteLimits: ByteLimits
  readonly limits: Limits
  readonly retention: Retention.Ages
  /** Traces of runs in the service's own database, with prompts and answers or without. Undefined: none are stored. */
  readonly storedTraces: { readonly hasContent: boolean } | undefined
  readonly model: string | undefined
  /** The model of judges. Undefined: the default model. */
  readonly judge: string | undefined
  /** The path of a file with prices of models. */
  readonly modelPrices: string | undefined
  /** The default embedding model; `none` for none. */
  readonly embedder: string | undefined
  /** The length of its vectors. Undefined: that of the model. */
  readonly embedderDimensions: number | undefined
  /** How often each embedding model is called. Undefined: without a limit. */
  readonly embedderRate: {
    readonly requestsPerMinute: number | undefined
    readonly tokensPerMinute: number | undefined
  }
  readonly modelRequests: Env.Success<typeof modelRequestSettings>
  /** The timeout of factories without their own. */
  readonly factoryTimeout: Duration.Duration
  /** How long receivers of webhooks and of changes of tasks may take to respond. */
  readonly callTimeout: Duration.Duration
  /** Keys, addresses and regions of the providers of models. */
  readonly providers: Credentials
  readonly authorization: AuthorizationOptions
  /** What stored secrets are sealed with (SECRETS_KEY): the first one seals, and all of them open. */
  readonly secretKeys: ReadonlyArray<Secrets.Key>
  /** Whether a service without authentication may listen on an address that other machines can reach. */
  readonly allowOpen: boolean
  /** The processes that read contents. */
  readonly reader: {
    readonly processes: number
    /** Of each process. */
    readonly memoryBytes: number
    /** Of one content. */
    readonly timeout: Duration.Duration
  }
  /** Sentences about variables with names like those of settings. */
  readonly misspelt: ReadonlyArray<string>
  /** What of private networks may be fetched for callers. */
  readonly fetch: { readonly allowPrivate: boolean; readonly allow: ReadonlyArray<string> }
}

const bytes = count
const mebi = 1024 * 1024

/** What the process reads that starts the workers. */
export const workerSettings = {
  workers,
  shutdownTimeout: timeout("SHUTDOWN_TIMEOUT", Duration.seconds(20)),
  drainTimeout: timeout("DRAIN_TIMEOUT", Duration.seconds(5))
}

const { defaults } = StoreLimits

const storeLimitSettings: Env.Config<StoreLimits.Limits> = Env.all({
  response: bytes("RESPONSE_MAX_BYTES", defaults.response),
  history: bytes("HISTORY_MAX_BYTES", defaults.history, 0),
  restored: bytes("MAX_RESTORED_RUN_BYTES", defaults.restored),
  memories: count("MAX_MEMORIES_PER_USER", defaults.memories),
  learnings: Env.all({
    perUser: count("MAX_LEARNINGS_PER_USER", defaults.learnings.perUser),
    proposedPerUser: count("MAX_PROPOSED_LEARNINGS_PER_USER", defaults.learnings.proposedPerUser)
  }),
  minIndexedChunks: Env.map(flagOr("PGVECTOR", true), (isUsed) => isUsed ? defaults.minIndexedChunks : undefined)
})

const variables = (features: ReadonlyArray<Feature>) =>
  Env.all({
    features: Features.settingsOf(features),
    host: textOr("HOST", "127.0.0.1"),
    port: NodeName.port,
    databaseUrl: secret("DATABASE_URL"),
    databaseConnections: count("DATABASE_CONNECTIONS", 10),
    databasePooler: flagOr("DATABASE_POOLER", false),
    dataDir: textOr("DATA_DIR", ".svc"),
    migrate: flagOr("MIGRATE", true),
    storeLimits: storeLimitSettings,
    node: NodeName.name,
    nodeTimeout: Env.schema(NodeTimeout, "NODE_TIMEOUT").pipe(Env.withDefault(Duration.seconds(8))),
    maxTakeovers: count("MAX_TAKEOVERS", 5, 0),
    maxRestores: count("MAX_RESTORES", 10, 0),
    unservedTimeout: timeout("UNSERVED_TIMEOUT", Duration.minutes(10)),
    strictRequests: flagOr("STRICT_REQUESTS", false),
    docs: flagOr("DOCS_ENABLED", true),
    console: flagOr("CONSOLE_ENABLED", true),
    consoleOAuthClientId: text("CONSOLE_OAUTH_CLIENT_ID"),
    protocols: protocolSettings,
    mcp: mcpSettings,
    hosts: list("ALLOWED_HOSTS"),
    corsOrigins: list("CORS_ORIGIN_LIST"),
    logging: Logging,
    traces: traceSettings,
    ...workerSettings,
    maxRuns: count("MAX_RUNS", 10_000),
    embedAgain: flagOr("EMBED_AGAIN", false),
    startLimits: startLimitSettings,
    maxRunInputBytes: bytes("MAX_RUN_INPUT_BYTES", 512 * 1024 * 1024),
    customEventBytes: bytes("CUSTOM_EVENT_MAX_BYTES", defaultByteLimits.customEvent),
    outputBytes: bytes("OUTPUT_MAX_BYTES", defaultByteLimits.output),
    sessionStateBytes: bytes("SESSION_STATE_MAX_BYTES", defaultByteLimits.sessionState),
    mediaBytes: bytes("MEDIA_MAX_BYTES", defaultByteLimits.media),
    toolResultBytes: bytes("TOOL_RESULT_MAX_BYTES", defaultByteLimits.toolResult),
    retention: Env.all({
      events: retention("EVENT_RETENTION", Duration.days(30)),
      journals: retention("JOURNAL_RETENTION", Duration.days(90)),
      audit: retention("AUDIT_RETENTION", Duration.days(365)),
      jobs: retention("JOB_RETENTION", Duration.days(7)),
      nodes: retention("NODE_RETENTION", Duration.days(1)),
      usage: retention("USAGE_RETENTION", Duration.days(730))
    }),
    jobPayloadBytes: bytes("JOB_PAYLOAD_MAX_BYTES", defaultByteLimits.jobPayload),
    storedTraces: flag("TRACES"),
    traceContent: flagOr("TRACE_CONTENT", true),
    jsonBody: bytes("MAX_JSON_BYTES", defaultLimits.jsonBody),
    jsonValues: count("MAX_JSON_VALUES", defaultLimits.jsonValues),
    formBody: bytes("MAX_FORM_BYTES", defaultLimits.formBody),
    a2aBody: bytes("MAX_A2A_BYTES", defaultLimits.a2aBody),
    headers: bytes("MAX_HEADER_BYTES", defaultLimits.headers),
    uploadsInFlight: bytes("MAX_UPLOAD_BYTES_IN_FLIGHT", defaultLimits.uploadsInFlight),
    responsesInFlight: bytes("MAX_RESPONSE_BYTES_IN_FLIGHT", defaultLimits.responsesInFlight),
    responseTimeout: timeout("RESPONSE_TIMEOUT", Duration.millis(defaultLimits.responseMillis)),
    sockets: count("MAX_SOCKETS", defaultLimits.sockets),
    socketsPerCaller: count("MAX_SOCKETS_PER_CALLER", defaultLimits.socketsPerCaller),
    receiveTimeout: timeout("RECEIVE_TIMEOUT", Duration.millis(defaultLimits.receiveMillis)),
    model: text("MODEL"),
    judge: text("JUDGE_MODEL"),
    modelPrices: text("MODEL_PRICES"),
    embedder: text("EMBEDDER"),
    embedderDimensions: dimensions("EMBEDDER_DIMENSIONS"),
    embedderRequests: limit("EMBEDDER_REQUESTS_PER_MINUTE"),
    embedderTokens: limit("EMBEDDER_TOKENS_PER_MINUTE"),
    modelRequests: modelRequestSettings,
    factoryTimeout: timeout("FACTORY_TIMEOUT", Duration.seconds(30)),
    callTimeout: timeout("WEBHOOK_TIMEOUT", Duration.seconds(10)),
    providers: providerSettings,
    secretsKey: secret("SECRETS_KEY"),
    allowOpen: flagOr("ALLOW_OPEN", false),
    readerProcesses: count("READER_PROCESSES", 2),
    readerMemory: bytes("READER_MEMORY_BYTES", 512 * mebi, 128 * mebi),
    readerTimeout: timeout("READER_TIMEOUT", Duration.minutes(1)),
    fetch: Env.all({
      allowPrivate: flagOr("FETCH_ALLOW_PRIVATE", false),
      allow: list("FETCH_ALLOW")
    })
  })

const storesTraces = (served: ReadonlyArray<Feature>) => served.some(({ name }) => name === Features.traces.name)

/** The settings of a service with these features. */
export const read = Effect.fnUntraced(
  function*(features: ReadonlyArray<Feature>): Effect.fn.Return<Config, InvalidConfig> {
    const environment = yield* ConfigProvider.ConfigProvider
    const { names, provider } = EnvironmentSettings.recording(environment)
    const values = yield* EnvironmentSettings.orInvalid(variables(features), provider)
    if (Result.isFailure(values.traces)) return yield* new InvalidConfig({ message: values.traces.failure })
    yield* EnvironmentSettings.refuseEmpty(environment, "OS_SECURITY_KEY")
    yield* EnvironmentSettings.refuseEmpty(environment, "SECRETS_KEY")
    const secretKeys = values.secretsKey === undefined ? Result.succeed([]) : Secrets.keysOf(values.secretsKey)
    if (Result.isFailure(secretKeys)) return yield* new InvalidConfig({ message: secretKeys.failure })
    yield* checkModelNames(values)
    const fetchProblem = values.fetch.allow.map(entryProblem).find((problem) => problem !== undefined)
    if (fetchProblem !== undefined) {
      return yield* new InvalidConfig({ message: `FETCH_ALLOW cannot be used. ${fetchProblem}` })
    }
    return {
      ...values,
      traces: values.traces.success,
      secretKeys: secretKeys.success,
      embedderRate: { requestsPerMinute: values.embedderRequests, tokensPerMinute: values.embedderTokens },
      allowedHosts: values.hosts.length === 0 ? undefined : values.hosts,
      storedTraces: (values.storedTraces ?? values.databaseUrl === undefined) && storesTraces(features)
        ? { hasContent: values.traceContent }
        : undefined,
      byteLimits: {
        customEvent: values.customEventBytes,
        output: values.outputBytes,
        sessionState: values.sessionStateBytes,
        toolResult: values.toolResultBytes,
        media: values.mediaBytes,
        jobPayload: values.jobPayloadBytes
      },
      reader: {
        processes: values.readerProcesses,
        memoryBytes: values.readerMemory,
        timeout: values.readerTimeout
      },
      authorization: yield* EnvironmentSettings.orInvalid(authorization, provider),
      misspelt: yield* EnvironmentSettings.misspelt(environment, names),
      limits: {
        a2aBody: values.a2aBody,
        responseMillis: Duration.toMillis(values.responseTimeout),
        responsesInFlight: values.responsesInFlight,
        formBody: values.formBody,
        headers: values.headers,
        jsonBody: values.jsonBody,
        jsonValues: values.jsonValues,
        receiveMillis: Duration.toMillis(values.receiveTimeout),
        sockets: values.sockets,
        socketsPerCaller: values.socketsPerCaller,
        uploadsInFlight: values.uploadsInFlight
      }
    }
  }
)

/** The settings of a service with all features. */
export const Config: Effect.Effect<Config, InvalidConfig> = Effect.suspend(() => read(Features.features))
