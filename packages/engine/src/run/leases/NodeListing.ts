// The nodes that share a database, for operators: which of them are alive, and how many runs each has.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect } from "effect"
import type { CurrentNode } from "../../node/CurrentNode.ts"
import type { RunLeases } from "../store/RunLeases.ts"

export interface ListedNode {
  readonly node: string
  readonly isAlive: boolean
  /** Whether it is the node that answers. */
  readonly isThis: boolean
  /** Seconds since the last heartbeat. */
  readonly silentFor: number
  /** The runs that it executes, or that wait on it for their turn. */
  readonly runs: number
}

export interface NodeListing {
  readonly nodes: ReadonlyArray<ListedNode>
  /** The runs that no node has. */
  readonly waitingRuns: number
}

export const list = (
  runs: Pick<RunLeases["Service"], "nodes" | "nodeRuns">,
  { node, silentAfter }: Pick<CurrentNode["Service"], "node" | "silentAfter">
): Effect.Effect<NodeListing, StorageUnavailable> =>
  Effect.map(Effect.all([runs.nodes, runs.nodeRuns]), ([known, counted]) => {
    const runsOf = new Map(counted.map((each) => [each.node, each.runs]))
    const nodes = known.map((each): ListedNode => ({
      node: each.node,
      isAlive: each.node === node || each.silentFor < silentAfter,
      isThis: each.node === node,
      silentFor: Math.max(0, each.silentFor),
      runs: runsOf.get(each.node) ?? 0
    }))
    return {
      nodes: nodes.toSorted((one, other) => one.node < other.node ? -1 : 1),
      waitingRuns: runsOf.get("") ?? 0
    }
  })
