// This process as a holder of leases: its name, its heartbeat, and the signals that it exchanges with other nodes. The
// engine makes it, and everything else that acquires work uses the same one.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Duration, type Effect } from "effect"
import type { Deaths } from "./LeasedRuns.ts"
import type { NodeHeartbeat } from "./NodeHeartbeat.ts"
import type { NodeSignals } from "./NodeSignals.ts"

export class CurrentNode extends Context.Service<CurrentNode, {
  readonly node: string
  readonly heartbeat: NodeHeartbeat
  /** The nodes whose leases this node may take over. */
  readonly eligible: (isStarting: boolean) => Effect.Effect<Deaths, StorageUnavailable>
  /** Seconds without a heartbeat after which a node counts as stopped. */
  readonly silentAfter: number
  /** From 1 to 5: how many times as rarely as alone this node looks for work that any node can do. */
  readonly rareness: () => number
  /** Waits for the interval between two such looks. It is the given one where there are at most twenty nodes. */
  readonly awaitTurn: (interval: Duration.Input) => Effect.Effect<void>
  readonly signals: Pick<NodeSignals, "follow" | "publish">
  /** Seconds between two checks for nodes that stopped. */
  readonly takeoverInterval: number
}>()("@svc-runtime/engine/node/CurrentNode") {}
