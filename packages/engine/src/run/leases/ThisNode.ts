// The node of an engine: its name and its heartbeat among the nodes of the database, and the signals that it exchanges
// with them. When the engine is closed, the node releases what its executor has left.
import { Context, Effect, Layer } from "effect"
import { NewId } from "../../NewId.ts"
import type { CurrentNode } from "../../node/CurrentNode.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import * as NodeSignals from "../../node/NodeSignals.ts"
import { Notifications } from "../../node/Notifications.ts"
import { EngineSettings } from "../engine/EngineSettings.ts"
import { StoredFormat } from "../journal/StoredFormat.ts"
import { Runners } from "../Runners.ts"
import { RunLeases } from "../store/RunLeases.ts"
import * as Presence from "./Presence.ts"

/** The interval of polls that find changes of other nodes. */
export const shortPollInterval = "250 millis"

export class ThisNode extends Context.Service<
  ThisNode,
  CurrentNode["Service"] & {
    readonly signals: NodeSignals.NodeSignals
    /** The first heartbeat: a node without one counts as dead. */
    readonly join: Presence.Presence["join"]
    /** With signals, polling only finds what they have missed. */
    readonly pollInterval: typeof shortPollInterval | "1 second"
  }
>()("@svc-runtime/engine/run/leases/ThisNode") {
  static readonly layer: Layer.Layer<ThisNode, never, EngineSettings | Notifications | RunLeases | Runners> = Layer
    .effect(
      ThisNode,
      Effect.gen(function*() {
        const { guest, identity, isShared, node: name, nodeTimeout, takeoverInterval } = yield* EngineSettings
        const leases = yield* RunLeases
        const { components } = yield* Runners
        const { awaitTurn, beat, eligible, join, node, rareness, silentAfter } = yield* Presence.make({
          leases,
          name,
          identity,
          isShared,
          nodeTimeout,
          guest,
          components,
          format: (yield* StoredFormat).current
        })
        const channel = yield* Notifications
        const signals = yield* NodeSignals.make(channel, channel === undefined ? node : (yield* NewId)())
        yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.timeout(leases.release(node), "5 seconds")))
        return {
          node,
          eligible,
          join,
          silentAfter,
          rareness,
          awaitTurn,
          heartbeat: yield* NodeHeartbeat.make({ beat, nodeTimeout }),
          signals,
          takeoverInterval,
          pollInterval: channel === undefined ? shortPollInterval : "1 second"
        } as const
      })
    )
}
