// PostgreSQL by url, with a pool of connections that replaces those the server drops. The layer waits for a server that
// is still starting, for half a minute, and refuses at once what waiting does not mend: a wrong password, a database that
// does not exist, a certificate that cannot be trusted. What it fails with names the server, never the password. Behind a
// pooler that hands out connections by statement, turn off `prepare` and both timeouts.
import { PgClient } from "@effect/sql-pg"
import { Notifications } from "@svc/runtime"
import { Duration, Effect, Layer, Redacted, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import * as PostgresNotifications from "./PostgresNotifications.ts"
import { ShortStatements } from "./ShortStatements.ts"

export interface Options {
  /** `postgres://user:password@host:port/database`, with what libpq allows behind the question mark. */
  readonly url: Redacted.Redacted
  /** Ten, when left out. */
  readonly maxConnections?: number | undefined
  /** How long to wait for a server that does not answer yet. Thirty seconds, when left out. */
  readonly startTimeout?: Duration.Input | undefined
  /** After which the server gives up on a statement. Thirty seconds, when left out; infinity leaves it to the server. */
  readonly statementTimeout?: Duration.Input | undefined
  /** After which the server ends a transaction that nobody works in. A minute, when left out. */
  readonly idleTransactionTimeout?: Duration.Input | undefined
  /** Whether statements are prepared under a name. */
  readonly prepare?: boolean | undefined
  /**
   * Whether the statements of several fibers share a connection, those in transactions aside. Off, when left out: reads
   * would go through at twice the rate, but single writes at half of it, none could be cancelled, and a slow one would
   * hold up the rest.
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

interface Target {
  readonly host: string
  readonly port: number
  readonly database: string
}

/** What is told of a url. The driver's own error would carry the whole of it, password included. */
const targetOf = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const parsed = URL.parse(Redacted.value(url))
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    const problem = "DATABASE_URL is not of the form postgres://user:password@host:port/database"
    return yield* new DatabaseUnreachable({ host: "?", port: 0, database: "?", problem })
  }
  const { hostname, pathname, port, searchParams, username } = parsed
  const target: Target = {
    host: searchParams.get("host") ?? (hostname === "" ? "localhost" : hostname),
    port: Number(searchParams.get("port") ?? (port === "" ? 5432 : port)),
    database: searchParams.get("dbname") ?? (pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : username)
  }
  return target
})

interface Failure {
  readonly code: string
  readonly message: string
}

/** A `SQLSTATE` or one of node's codes. */
const failureOf = ({ reason: { cause, message = "" } }: SqlError.SqlError): Failure => ({
  code: cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "",
  message: cause instanceof Error && cause.message !== "" ? cause.message : message
})

/** A server that starts or stops, or has no connection to spare. */
const passing = ["57P01", "57P02", "57P03", "53300"]

/** A certificate, or the url itself. */
const isLasting = ({ code, message }: Failure) =>
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/.test(code) || /TLS|URL|username/.test(message)

const mayPass = (error: SqlError.SqlError) => {
  const failure = failureOf(error)
  return passing.includes(failure.code) || (error.reason._tag === "ConnectionError" && !isLasting(failure))
}

const problemOf = (error: SqlError.SqlError) => {
  const { code, message } = failureOf(error)
  return message.includes(code) ? message : `${message} (${code})`
}

/** A setting in the url counts for more than ours. */
const sessionSettings = ({ idleTransactionTimeout = "1 minute", statementTimeout = "30 seconds", url }: Options) => {
  const own = URL.parse(Redacted.value(url))?.searchParams.get("options") ?? ""
  const timeouts = { statement_timeout: statementTimeout, idle_in_transaction_session_timeout: idleTransactionTimeout }
  const set = Object.entries(timeouts).flatMap(([name, input]) => {
    const timeout = Duration.fromInputUnsafe(input)
    return Duration.isFinite(timeout) && !own.includes(name) ? [[name, String(Duration.toMillis(timeout))]] : []
  })
  return { TimeZone: "UTC", ...Object.fromEntries(set) }
}

/** Doubling from a tenth of a second to one second. */
const pause = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 second")])

interface Connections {
  readonly maxConnections: number
  readonly multiplex: boolean
  /** Statements on one connection at once, where they share it. */
  readonly multiplexConcurrency?: number
  readonly settings?: Readonly<Record<string, string>>
}

const connect = (options: Options, { maxConnections, multiplex, multiplexConcurrency, settings }: Connections) =>
  PgClient.make({
    url: options.url,
    applicationName: "svc",
    startupParameters: { ...sessionSettings(options), ...settings },
    maxConnections,
    idleTimeout: "5 minutes",
    keepAlive: "30 seconds",
    prepare: options.prepare ?? true,
    preparedStatementCacheSize: 256,
    multiplex,
    multiplexConcurrency,
    maxMessageSize: 128 * 1024 * 1024
  })

const make = Effect.fnUntraced(function*(options: Options) {
  const target = yield* targetOf(options.url)
  const unreachable = (problem: string) => new DatabaseUnreachable({ ...target, problem })
  const client = yield* connect(options, {
    maxConnections: options.maxConnections ?? 10,
    multiplex: options.multiplex ?? false
  }).pipe(
    Effect.mapError((error) => unreachable(problemOf(error)))
  )

  const limit = Duration.fromInputUnsafe(options.startTimeout ?? "30 seconds")
  const logOnce = yield* Effect.cached(
    Effect.logWarning(`Waiting for the database "${target.database}" on ${target.host}:${target.port}`)
  )
  let last = "no answer"
  yield* client`SELECT 1`.pipe(
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
  return client
})

// As many as there are kinds of short statements, and some for those that take longer than usual. Two statements on each, so
// that a slow one holds up few. None waits for a lock for long: whoever asked for it is served by an ordinary connection.
const shortConnections = 6
const shortOnEach = 2
const lockTimeout = "200ms"

/** Where the server's timeouts are left to a pooler, none is set. */
const shortSettings = ({ statementTimeout = "30 seconds" }: Options) =>
  Duration.isFinite(Duration.fromInputUnsafe(statementTimeout)) ? { lock_timeout: lockTimeout } : {}

/** One listens and one sends. What is lost with a crash of the server was a hint. */
const connectNotifications = (options: Options) =>
  Effect.map(
    connect(options, { maxConnections: 2, multiplex: false, settings: { synchronous_commit: "off" } }),
    PostgresNotifications.make
  )

/** Provides `SqlClient` and `PgClient`, and connections for `ShortStatements` and `Notifications` beside theirs. */
export const layer = (options: Options) =>
  Layer.merge(
    Layer.effect(
      ShortStatements,
      connect(options, {
        maxConnections: shortConnections,
        multiplex: true,
        multiplexConcurrency: shortOnEach,
        settings: shortSettings(options)
      })
    ),
    Layer.effect(Notifications, connectNotifications(options))
  ).pipe(
    Layer.provide(Reactivity.layer),
    // the ordinary connections first: they wait for the server and say what is wrong with it
    Layer.provideMerge(PgClient.layerFrom(make(options)))
  )
