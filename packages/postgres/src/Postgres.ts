// PostgreSQL by URL, with a connection pool that replaces lost connections. The layer waits half a minute for a server
// that is starting, and fails at once for lasting reasons: a wrong password, an unknown database, an untrusted
// certificate. Its errors name the server, never the password.
import { PgClient } from "@effect/sql-pg"
import { adviceOnConnections, StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import type { Channel } from "@svc-runtime/engine/node/Notifications"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Duration, Effect, Layer, Redacted, Schedule, Schema, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { ShortStatements } from "./ShortStatements.ts"
import { LongStatements } from "./sql/LongStatements.ts"
import { orUnavailable } from "./sql/orUnavailable.ts"
import * as ShortPlans from "./sql/ShortPlans.ts"
import * as SilentConnections from "./sql/SilentConnections.ts"

// `Notifications` over LISTEN and NOTIFY, each with its own connection. A transaction that notifies holds a server-wide
// lock until its commit. Therefore no statement of a run is in such a transaction, and the commit does not wait for the
// disk.

const channel = "svc_signals"

const postgresNotifications = (client: PgClient.PgClient): Channel => ({
  send: (text) => orUnavailable(client.notify(channel, text)),
  listen: Effect.map(orUnavailable(client.listen(channel)), (texts) =>
    Stream.fromQueue(texts).pipe(
      Stream.map(({ payload }) => payload),
      Stream.mapError((cause) => new StorageUnavailable({ cause }))
    ))
})

export type { ShortStatements } from "./ShortStatements.ts"
export type { LongStatements } from "./sql/LongStatements.ts"

export interface Options {
  /** `postgres://user:password@host:port/database`, with what libpq allows behind the question mark. */
  readonly url: Redacted.Redacted
  /** Default: 10. */
  readonly maxConnections?: number | undefined
  /** How long to wait for a server that does not reply. Default: 30 seconds. */
  readonly startTimeout?: Duration.Input | undefined
  /** The server's statement timeout. Default: 30 seconds; infinity leaves it to the server. */
  readonly statementTimeout?: Duration.Input | undefined
  /** The server's timeout of idle transactions. Default: one minute. */
  readonly idleTransactionTimeout?: Duration.Input | undefined
  /**
   * The URL is that of a pooler in transaction mode. Nothing that belongs to a session is used then: no prepared
   * statements, no timeouts, no notifications.
   */
  readonly isPooled?: boolean | undefined
  /**
   * Whether statements of several fibers share a connection, except those in transactions. Default: false. It doubles
   * the rate of reads and halves that of single writes. Shared statements cannot be cancelled, and a slow one delays
   * the others.
   */
  readonly multiplex?: boolean | undefined
}

export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  host: Schema.String,
  port: Schema.Int,
  database: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The database "${this.database}" on ${this.host}:${this.port} cannot be used: ${this.problem}`
  }
}

/** Nothing of the URL is shown: what is wrong with it may be its password. */
export class InvalidDatabaseUrl extends Schema.TaggedError<InvalidDatabaseUrl>()("InvalidDatabaseUrl", {
  problem: Schema.String
}) {
  override get message() {
    return `DATABASE_URL must be of the form ${DatabaseHandle.postgresUrlForm}: ${this.problem}`
  }
}

interface Target {
  /** A directory of Unix sockets if it begins with a slash. */
  readonly host: string
  readonly port: number
  readonly database: string
}

/** The part of a URL that errors show. The driver's own error contains the password. */
const targetOf = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const problem = DatabaseHandle.postgresUrlProblem(Redacted.value(url))
  if (problem !== undefined) return yield* new InvalidDatabaseUrl({ problem })
  const parsed = new URL(Redacted.value(url))
  const { hostname, pathname, port, searchParams, username } = parsed
  const target: Target = {
    host: searchParams.get("host") ?? (hostname === "" ? "localhost" : decodeURIComponent(hostname)),
    port: Number(searchParams.get("port") ?? (port === "" ? 5432 : port)),
    database: searchParams.get("dbname") ?? (pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : username)
  }
  return target
})

const nameOf = ({ database, host, port }: Target) => `the database "${database}" on ${host}:${port}`

const endpointOf = (target: Target, maxConnections: number): SilentConnections.Endpoint => {
  const { host, port } = target
  const options = host.startsWith("/")
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: host.replaceAll(/^\[|\]$/g, ""), port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }
  return { name: nameOf(target), options, maxConnections }
}

interface Failure {
  readonly code: string
  readonly message: string
}

/** A `SQLSTATE` or an error code of Node. */
const failureOf = ({ reason: { cause, message = "" } }: SqlError.SqlError): Failure => ({
  code: cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "",
  message: cause instanceof Error && cause.message !== "" ? cause.message : message
})

const noConnection = "53300"

/** The server is starting or stopping, or has no free connection. */
const transientCodes = ["57P01", "57P02", "57P03", noConnection]

const isPooler = (message: string): boolean => message.includes("unsupported startup parameter")

/** A pooler, a certificate, or the url itself. */
const isLasting = ({ code, message }: Failure) =>
  isPooler(message) || /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/.test(code) ||
  /TLS|URL|username/.test(message)

const mayPass = (error: SqlError.SqlError) => {
  const failure = failureOf(error)
  return transientCodes.includes(failure.code) || (error.reason._tag === "ConnectionError" && !isLasting(failure))
}

const problemOf = (error: SqlError.SqlError) => {
  const { code, message } = failureOf(error)
  if (isPooler(message)) return `${message}. If it is a pooler, set DATABASE_POOLER=true`
  const problem = message.includes(code) ? message : `${message} (${code})`
  return code === noConnection ? `${problem}. ${adviceOnConnections}` : problem
}

/** A setting in the URL wins over ours. */
const sessionSettings = ({ idleTransactionTimeout = "1 minute", isPooled, statementTimeout, url }: Options) => {
  if (isPooled === true) return { TimeZone: "UTC" }
  const own = URL.parse(Redacted.value(url))?.searchParams.get("options") ?? ""
  // the planner counts a scan that it should avoid as expensive, and compiles its statement for seconds
  const plans = /\bjit\b/i.test(own) ? {} : { jit: "off" }
  const timeouts = {
    statement_timeout: statementTimeout ?? "30 seconds",
    idle_in_transaction_session_timeout: idleTransactionTimeout
  }
  const set = Object.entries(timeouts).flatMap(([name, input]) => {
    const timeout = Duration.fromInputUnsafe(input)
    return Duration.isFinite(timeout) && !own.includes(name) ? [[name, String(Duration.toMillis(timeout))]] : []
  })
  return { TimeZone: "UTC", ...plans, ...Object.fromEntries(set) }
}

/** Doubling from a tenth of a second to one second. */
const pause = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 second")])

interface Connections {
  readonly maxConnections: number
  readonly multiplex: boolean
  /** Concurrent statements on one shared connection. */
  readonly multiplexConcurrency?: number
  readonly settings?: Readonly<Record<string, string>>
}

/** The options, and what opens and watches the sockets of all connections. */
interface Source extends Options {
  readonly target: Target
  readonly sockets: SilentConnections.SilentConnections
}

const connect = (options: Source, { maxConnections, multiplex, multiplexConcurrency, settings }: Connections) =>
  PgClient.make({
    url: options.url,
    applicationName: "svc",
    startupParameters: { ...sessionSettings(options), ...settings },
    maxConnections,
    // less than half of the time after which an idle connection counts as lost
    idleTimeout: "30 seconds",
    stream: multiplex ? options.sockets.connectShared : options.sockets.connect,
    prepare: options.isPooled !== true,
    preparedStatementCacheSize: 256,
    multiplex,
    multiplexConcurrency,
    maxMessageSize: 128 * 1024 * 1024
  })

/** How long a pooler itself may let a statement wait for a connection. */
const poolerSeconds = 120

/** Zero, which is no limit, is what a pooler's role has if it is not configured. */
const limitsOf = ({ isPooled }: Options, rows: ReadonlyArray<{ readonly name: string; readonly seconds: number }>) => {
  const secondsOf = (setting: string, pooled: number) => {
    const seconds = rows.find(({ name }) => name === setting)?.seconds ?? 0
    if (isPooled === true) return (seconds === 0 ? pooled : seconds) + poolerSeconds
    return seconds === 0 ? Infinity : seconds
  }
  return {
    statementSeconds: secondsOf("statement_timeout", 30),
    idleTransactionSeconds: secondsOf("idle_in_transaction_session_timeout", 60)
  }
}

const ordinaryOf = ({ maxConnections = 10 }: Options): number => maxConnections

const make = Effect.fnUntraced(function*(options: Source) {
  const { sockets, target } = options
  const unreachable = (problem: string) => new DatabaseUnreachable({ ...target, problem })
  const client = yield* connect(options, {
    maxConnections: ordinaryOf(options),
    multiplex: options.multiplex ?? false
  }).pipe(
    Effect.mapError((error) => unreachable(problemOf(error)))
  )

  const limit = Duration.fromInputUnsafe(options.startTimeout ?? "30 seconds")
  let last = "no reply"
  const logOnce = yield* Effect.cached(Effect.suspend(() =>
    LogPart.inPart("database")(
      Effect.logWarning(`Waiting for ${nameOf(target)}, at most ${Duration.format(limit)}: ${last}`)
    )
  ))
  const rows = yield* client<{ readonly name: string; readonly seconds: number }>`
    SELECT name, setting::float8 / 1000 AS seconds FROM pg_settings
    WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout')
  `.pipe(
    Effect.tapError((error) => {
      last = problemOf(error)
      return mayPass(error) ? logOnce : Effect.void
    }),
    Effect.retry({ schedule: pause, while: mayPass }),
    Effect.mapError((error) => unreachable(problemOf(error))),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(unreachable(`${last}, for ${Duration.format(limit)}`))
    })
  )
  sockets.setLimits(limitsOf(options, rows))
  return client
})

/** Reads wait for no lock, so many share a connection. */
const shortReads = { maxConnections: 2, multiplex: true, multiplexConcurrency: 32 }

// One connection per kind of short write, and some for slower ones. Each takes two statements, so that a slow statement
// delays few others. None waits long for a lock: such a call is repeated on an ordinary connection.
const shortWrites = { maxConnections: 6, multiplex: true, multiplexConcurrency: 2 }
const lockTimeout = "200ms"

/** A pooler rejects settings that it does not know. */
const shortSettings = ({ isPooled }: Options) =>
  isPooled === true ? {} : { lock_timeout: lockTimeout, ...ShortPlans.settings }

const connectShort = Effect.fnUntraced(function*(options: Source) {
  const settings = shortSettings(options)
  return {
    reads: yield* connect(options, { ...shortReads, settings }),
    writes: yield* connect(options, { ...shortWrites, settings })
  }
})

/** One connection listens and one sends. Notifications are hints, so a crash of the server can lose them. */
const notifying = { maxConnections: 2, multiplex: false, settings: { synchronous_commit: "off" } }

const connectNotifications = (options: Source) =>
  Effect.map(
    connect(options, notifying),
    postgresNotifications
  )

const layerOf = (options: Source) =>
  Layer.mergeAll(
    Layer.succeed(LongStatements, options.sockets),
    Layer.effect(ShortStatements, connectShort(options)),
    options.isPooled === true
      ? Notifications.layerNone
      : Layer.effect(Notifications.Notifications, connectNotifications(options))
  ).pipe(
    Layer.provide(Reactivity.layer),
    // the ordinary connections first: they wait for the server and report why it fails
    Layer.provideMerge(PgClient.layerFrom(make(options)))
  )

const maxConnectionsOf = (options: Options): number =>
  ordinaryOf(options) + shortReads.maxConnections + shortWrites.maxConnections +
  (options.isPooled === true ? 0 : notifying.maxConnections)

/** Provides `SqlClient` and `PgClient`, and connections for `ShortStatements` and `Notifications` beside theirs. */
export const layer = (options: Options) =>
  Layer.unwrap(Effect.gen(function*() {
    const target = yield* targetOf(options.url)
    return layerOf({
      ...options,
      target,
      sockets: yield* SilentConnections.make(endpointOf(target, maxConnectionsOf(options)))
    })
  }))
