// The processes of the service that share a database.
import { Schema } from "effect"

export const Node = Schema.Struct({
  node: Schema.String,
  /** Silent: without a heartbeat for so long that other nodes take over its runs. */
  state: Schema.Literals(["alive", "silent"]),
  is_this_node: Schema.Boolean,
  seconds_since_heartbeat: Schema.Finite,
  runs: Schema.Int
}).annotate({ identifier: "Node" })
export type Node = typeof Node.Type

export const DatabaseNodes = Schema.Struct({
  db_id: Schema.String,
  is_available: Schema.Boolean,
  waiting_runs: Schema.Int,
  nodes: Schema.Array(Node)
}).annotate({ identifier: "DatabaseNodes" })
export type DatabaseNodes = typeof DatabaseNodes.Type
