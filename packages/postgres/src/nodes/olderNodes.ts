// A migration that renames or removes what older versions use must not run while a node of an older version is alive:
// such a node would hold runs that it cannot store. A node that was killed looks alive for some seconds.
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** `DatabaseContents.ts` lists the migrations. */
const incompatible = [66]

/** The age of the last heartbeat from which a node counts as stopped. */
const stoppedAfterSeconds = 10

const waitSeconds = 30

export class OlderNodesAlive extends Schema.TaggedError<OlderNodesAlive>()("OlderNodesAlive", {
  nodes: Schema.Array(Schema.String),
  migration: Schema.Int
}) {
  override get message() {
    return `Nodes of an older version use the database: ${
      this.nodes.join(", ")
    }. Migration ${this.migration} changes ` +
      "what they use, and they could store nothing after it. Stop them, then start this version again."
  }
}

/** Of databases that are migrated already, and not of new ones. */
const nextIncompatible = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, table: string) {
  const [tables] = yield* sql<{ readonly exist: boolean }>`
    select to_regclass(${table}) is not null and to_regclass('svc_nodes') is not null as exist`
  if (tables?.exist !== true) return undefined
  const [row] = yield* sql<{ readonly latest: number }>`
    select coalesce(max(migration_id), 0)::int as latest from ${sql(table)}`
  return incompatible.find((id) => id > (row?.latest ?? 0))
})

const aliveNodes = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly node: string }>`
      select node from svc_nodes where seen_at >= now() - make_interval(secs => ${stoppedAfterSeconds}) order by node`,
    (rows) => rows.map(({ node }) => node)
  )

/** Fails while nodes are alive that could not work after the next migrations. `table` records the executed ones. */
export const refuse = Effect.fnUntraced(function*(table: string) {
  const sql = yield* SqlClient.SqlClient
  const migration = yield* nextIncompatible(sql, table)
  if (migration === undefined) return
  const nodes = yield* aliveNodes(sql)
  if (nodes.length > 0) return yield* new OlderNodesAlive({ nodes, migration })
})

/** Repeats migrations that are refused until the nodes have stopped, for half a minute. */
export const waitUntilStopped = Effect.fnUntraced(function*<A, E, R>(
  migrate: Effect.Effect<A, E | OlderNodesAlive, R>
) {
  let isLogged = false
  const logOnce = ({ migration }: OlderNodesAlive) => {
    if (isLogged) return Effect.void
    isLogged = true
    return LogPart.inPart("database")(
      Effect.logWarning(`Migration ${migration} waits until the nodes of older versions have stopped`)
    )
  }
  const isRefused = (error: E | OlderNodesAlive): error is OlderNodesAlive => error instanceof OlderNodesAlive
  return yield* migrate.pipe(
    Effect.tapError((error) => isRefused(error) ? logOnce(error) : Effect.void),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: waitSeconds, while: isRefused })
  )
})
