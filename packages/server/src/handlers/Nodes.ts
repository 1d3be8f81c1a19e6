// The nodes of each database.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import type { ServedDatabase } from "@svc-runtime/agents/database/ServedDatabases"
import type * as Node from "@svc-runtime/domain/Node"
import * as NodeListing from "@svc-runtime/engine/run/leases/NodeListing"
import { Effect } from "effect"

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

export const make = Effect.map(
  ServedDatabases,
  (served) => Effect.suspend(() => Effect.forEach(served.opened(), inDatabase, { concurrency: 4 }))
)
