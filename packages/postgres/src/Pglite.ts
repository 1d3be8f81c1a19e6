// The embedded database: PostgreSQL as WebAssembly in a thread of this process, with its files in `<dataDir>/postgres`.
// It is connected by an in-process stream, so it opens no port, and uses the same driver and SQL as a server. It has
// one connection: a fiber that holds it (a transaction, a stream of rows) and waits for another fiber that needs it
// deadlocks. Statement timeouts and LISTEN do not work. A database in memory has no thread.
import { PgClient } from "@effect/sql-pg"
import { KeepsProcess } from "@svc-runtime/engine/node/KeepsProcess"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import * as DataDirectory from "./DataDirectory.ts"
import type { Engine } from "./pglite/pgliteEngine.ts"
import * as PgliteMaintenance from "./pglite/PgliteMaintenance.ts"
import { type InMemory, openInMemory } from "./pglite/pgliteOpen.ts"
import { PgliteServer, reopenInterval } from "./pglite/pgliteServer.ts"
import * as PgliteTemplate from "./pglite/PgliteTemplate.ts"
import { openInThread } from "./pglite/pgliteThread.ts"
import * as ShortStatements from "./ShortStatements.ts"
import * as LongStatements from "./sql/LongStatements.ts"

export type { ShortStatements } from "./ShortStatements.ts"
export type { LongStatements } from "./sql/LongStatements.ts"

export { DataDirectoryInUse, DataDirectoryUnusable } from "./DataDirectory.ts"

export class EmbeddedDatabaseFailed extends Schema.TaggedError<EmbeddedDatabaseFailed>()("EmbeddedDatabaseFailed", {
  problem: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `The embedded database did not start: ${this.problem}`
  }
}

export interface Options {
  /** A directory, created if it is missing, or "memory" for a database that ends with the layer. */
  readonly dataDir: string
  /**
   * Whether a commit waits for the disk, as in PostgreSQL (default true). Without it a commit survives the process but
   * not the machine: a power failure can damage the database.
   */
  readonly durable?: boolean | undefined
  /** Whether it opens with the extension pgvector (default true). */
  readonly hasVectors?: boolean | undefined
}

/** The PostgreSQL version of PGlite. */
const majorVersion = "18"

/** Rejects directories of another PostgreSQL version or of another program. */
const check = Effect.fnUntraced(function*(directory: string) {
  const versionFile = join(directory, "PG_VERSION")
  const version = yield* Effect.try(() =>
    existsSync(versionFile) ? readFileSync(versionFile, "utf8").trim() : undefined
  )
  if (version === majorVersion) return
  return yield* Effect.fail(
    version === undefined
      ? `${directory} is there but holds no database`
      : `its database was made by PostgreSQL ${version}, and this version reads those of PostgreSQL ${majorVersion}. ` +
        "Move the data with pg_dump, or start with an empty directory"
  )
})

/** Its packages are optional: a service with a PostgreSQL leaves them out. */
const installed = Effect.try({
  try: () => createRequire(import.meta.url).resolve("@electric-sql/pglite"),
  catch: (cause) =>
    new EmbeddedDatabaseFailed({
      problem: "its packages are not installed. Set DATABASE_URL to a PostgreSQL, or install with optional packages",
      cause
    })
})

const open = <Source>(openEngine: (source: Source) => Promise<Engine>, source: Source) =>
  Effect.tryPromise({
    try: () => openEngine(source),
    catch: (cause) =>
      new EmbeddedDatabaseFailed({ problem: cause instanceof Error ? cause.message : String(cause), cause })
  })

const diskServer = Effect.fnUntraced(function*(dataDir: string, durable: boolean, hasVectors: boolean) {
  yield* installed
  const directory = join(dataDir, "postgres")
  const unusable = DataDirectory.DataDirectoryUnusable.because(dataDir)
  const isNew = yield* PgliteTemplate.install(directory).pipe(Effect.mapError(unusable))
  if (!isNew) yield* check(directory).pipe(Effect.mapError(unusable))
  const engine = yield* open(openInThread, { directory, durable, hasVectors, isNew })
  if (isNew) yield* PgliteTemplate.finish(directory).pipe(Effect.mapError(unusable))

  const runPromise = Effect.runPromiseWith(yield* Effect.context())
  let hasFailed = false
  const openAgain = (cause: unknown) =>
    runPromise(
      Effect.gen(function*() {
        if (!hasFailed) yield* Effect.logError("The embedded database crashed and is opened again", cause)
        const engine = yield* Effect.tapError(
          open(openInThread, { directory, durable, hasVectors, isNew: false }),
          (error) => {
            if (hasFailed) return Effect.void
            hasFailed = true
            return Effect.logError(
              `The embedded database could not be opened again. Requests are refused until it is, which is tried every ${
                reopenInterval / 1000
              } seconds. Check that the disk of ${directory} has free space and can be written`,
              error
            )
          }
        )
        if (hasFailed) yield* Effect.logInfo("The embedded database is open again")
        hasFailed = false
        return engine
      }).pipe(LogPart.inPart("database"))
    )
  return new PgliteServer(engine, openAgain)
})

const memoryServer = ({ hasVectors = true, ...source }: Omit<InMemory, "hasVectors"> & Pick<Options, "hasVectors">) =>
  Effect.map(open(openInMemory, { ...source, hasVectors }), (engine) => new PgliteServer(engine, undefined))

const connect = Effect.fnUntraced(function*<E>(opened: Effect.Effect<PgliteServer, E>) {
  const server = yield* Effect.acquireRelease(opened, (server) => Effect.promise(server.close))
  const client = yield* PgClient.make({
    stream: server.connect,
    username: "postgres",
    database: "postgres",
    applicationName: "svc",
    minConnections: 1,
    maxConnections: 1,
    // the next statement is sent while one is executed
    multiplex: true,
    preparedStatementCacheSize: 256,
    maxMessageSize: 128 * 1024 * 1024
  })
  yield* client`SELECT 1`
  return client
})

const connectInMemory = Effect.fnUntraced(
  function*(prepared?: Prepared, now?: () => number, hasVectors?: Options["hasVectors"]) {
    const entries = prepared?.entries ?? (yield* PgliteTemplate.loadOnce)
    return yield* connect(memoryServer({ entries, now, hasVectors }))
  }
)

const make = Effect.fnUntraced(function*({ dataDir, durable = true, hasVectors = true }: Options) {
  if (dataDir === "memory") {
    // a database with a time of its own sets no timers, which would keep the process
    return yield* connectInMemory(undefined, (yield* KeepsProcess) ? undefined : Date.now, hasVectors)
  }
  const client = yield* connect(diskServer(yield* DataDirectory.claim(dataDir), durable, hasVectors))
  yield* PgliteMaintenance.start(client)
  return client
})

/** With one connection and no other node, there are no connections of other kinds. */
const layerOf = <E, R>(client: Effect.Effect<PgClient.PgClient, E, R>) =>
  Layer.mergeAll(
    PgClient.layerFrom(client),
    ShortStatements.layerNone,
    LongStatements.layerNone,
    Notifications.layerNone
  )

/** Provides `SqlClient` and `PgClient`. */
export const layer = (options: Options) => layerOf(make(options))

/** A separate database for each build of the layer: for tests and trials. */
export const layerMemory: ReturnType<typeof layer> = layer({ dataDir: "memory" })

/** The files of a database, for databases that begin as its copies. */
export interface Prepared {
  readonly entries: ReadonlyArray<PgliteTemplate.Entry>
}

/** Executes the effect with a new database in memory, and returns the files of the database. */
export const prepare = Effect.fnUntraced(
  function*<E>(
    effect: Effect.Effect<unknown, E, LongStatements.LongStatements | PgClient.PgClient | SqlClient.SqlClient>
  ) {
    let entries: ReadonlyArray<PgliteTemplate.Entry> = []
    const source = { entries: yield* PgliteTemplate.loadOnce, keep: (kept: typeof entries) => void (entries = kept) }
    const layer = layerOf(connect(memoryServer(source)))
    yield* Effect.scoped(Effect.flatMap(Layer.build(layer), (context) => Effect.provide(effect, context)))
    const prepared: Prepared = { entries }
    return prepared
  }
)

/**
 * A copy of the prepared database in memory for each build of the layer. `now` is its time in epoch milliseconds, that
 * of this machine when left out.
 */
export const layerPrepared = (prepared: Prepared, now?: () => number): ReturnType<typeof layer> =>
  layerOf(connectInMemory(prepared, now))

/** Creates a data directory with a copy of the prepared database. */
export const install = Effect.fnUntraced(function*(prepared: Prepared, dataDir: string) {
  const directory = join(yield* DataDirectory.claim(dataDir), "postgres")
  yield* PgliteTemplate.install(directory, prepared.entries)
  yield* PgliteTemplate.finish(directory)
}, Effect.scoped)
