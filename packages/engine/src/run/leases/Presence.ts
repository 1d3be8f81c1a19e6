// Identifies a node among the nodes of a database. Each process has a unique incarnation beside its name, so two
// processes with one name do not take each other's runs.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Duration, Effect, Random } from "effect"
import { NewId } from "../../NewId.ts"
import type { CurrentNode } from "../../node/CurrentNode.ts"
import type { Deaths, KnownNode } from "../../node/LeasedRuns.ts"
import { takeoverAfter } from "../../node/NodeHeartbeat.ts"
import type { Guest } from "../engine/Guest.ts"
import type { RunLeases } from "../store/RunLeases.ts"
import * as Steadiness from "./Steadiness.ts"
import * as TakeoverRules from "./TakeoverRules.ts"

export interface Identity {
  /** Names the operating system's process for others on the same machine. */
  readonly self: string
  /** Whether a process on this machine is certainly not running any more. */
  readonly isGone: (process: string) => boolean
}

export interface Options {
  readonly leases: Pick<RunLeases["Service"], "heartbeat" | "nodes">
  readonly name: string
  readonly identity: Identity | undefined
  /** Whether other processes may use the database. */
  readonly isShared: boolean
  readonly nodeTimeout: number | undefined
  /** It takes over nothing, and is no node for runs that wait for one. */
  readonly guest: Guest | undefined
  readonly components: () => ReadonlyArray<string>
  readonly format: number
}

/** For a node that takes over no runs of others, only those of earlier processes with its own name. */
const ownTimeout = 8

export const nameOf = (node: string): string => node.replace(/#[^#]*$/, "")

export interface Presence {
  readonly node: string
  readonly beat: Effect.Effect<void, StorageUnavailable>
  /** The nodes whose leases this node may take over. */
  readonly eligible: (isStarting: boolean) => Effect.Effect<Deaths, StorageUnavailable>
  /** Stores the first heartbeat, and warns of another node with the same name. */
  readonly join: Effect.Effect<void, StorageUnavailable>
  /** Seconds without a heartbeat after which a node counts as stopped. */
  readonly silentAfter: number
  readonly rareness: CurrentNode["Service"]["rareness"]
  readonly awaitTurn: CurrentNode["Service"]["awaitTurn"]
}

// Every node looks for work that any node can do: runs and jobs of nodes that stopped, and jobs and resumes that are
// due. With many nodes each of them looks less often, so that all of them together look about as often as twenty. Where
// few of them can do a piece of work, it is found later, so no node looks more than five times as rarely.
const together = 20
const rarest = 5

export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Presence> {
  const { components, format, guest, identity, isShared, name, nodeTimeout, leases } = options
  const silentAfter = nodeTimeout === undefined ? ownTimeout : takeoverAfter(nodeTimeout)
  const maxGap = TakeoverRules.maxGapOf(nodeTimeout ?? ownTimeout)
  const newId = yield* NewId
  const node = `${name}#${newId().slice(0, 13)}`

  const predecessorsAmong = (nodes: ReadonlyArray<KnownNode>) =>
    nodes.filter((other) =>
      guest === undefined
        ? other.node !== node && nameOf(other.node) === name
        // a process has several nodes
        : other.node.startsWith(guest.nodes) && other.process !== (identity?.self ?? null)
    )

  const isGone = ({ process, silentFor }: KnownNode): boolean =>
    (process !== null && identity?.isGone(process) === true) ||
    (nodeTimeout === undefined && silentFor >= ownTimeout)

  const steadiness = yield* Steadiness.make(nodeTimeout ?? ownTimeout, maxGap)

  const beat = steadiness.beating(
    Effect.suspend(() =>
      leases.heartbeat({
        node,
        process: identity?.self ?? null,
        components: guest === undefined ? components() : [],
        format,
        maxGap
      })
    )
  )

  const warnOf = ({ process, silentFor }: KnownNode) =>
    Effect.annotateLogs(
      Effect.logWarning(
        `Another process has used the node name '${name}' ${Math.round(silentFor)} s ago. If it is still alive, give ` +
          "each process a NODE_NAME of its own. Its runs are taken over when it is silent for NODE_TIMEOUT"
      ),
      { incarnation: node, process: process ?? "unknown" }
    )

  const join = Effect.gen(function*() {
    const others = isShared && guest === undefined ? predecessorsAmong(yield* leases.nodes) : []
    yield* beat
    yield* Effect.forEach(
      others.filter((other) => !isGone(other) && other.silentFor < silentAfter),
      warnOf
    )
  })

  /** Nodes with a heartbeat, when they were last read. */
  let living = 1
  const rareness = () => Math.min(rarest, Math.max(1, living / together))

  const awaitTurn = (interval: Duration.Input) =>
    Effect.flatMap(
      rareness() === 1 ? Effect.succeed(1) : Random.nextBetween(0.75, 1.25),
      (spread) => Effect.sleep(Duration.times(Duration.fromInputUnsafe(interval), rareness() * spread))
    )

  const judging = leases.nodes.pipe(
    Effect.tap((nodes) =>
      Effect.sync(() => {
        living = nodes.filter(({ silentFor }) => silentFor < silentAfter).length
      })
    ),
    Effect.map((nodes) =>
      [nodes, nodeTimeout === undefined ? undefined : TakeoverRules.judge(nodes, node, nodeTimeout)] as const
    ),
    Effect.tap(([, judged]) => judged === undefined ? Effect.void : steadiness.judged(judged.isSteady)),
    Effect.tapError(() => steadiness.judged(undefined))
  )

  const eligible: Presence["eligible"] = (isStarting) => {
    // in a database of one process the previous node is dead, even if its last heartbeat is recent
    if (!isShared) return Effect.succeed({ dead: isStarting ? "every" : [] })
    return Effect.map(judging, ([nodes, judged]): Deaths => {
      if (!isStarting && judged !== undefined) return judged
      const others = predecessorsAmong(nodes)
      const gone = others.filter(isGone).map((other) => other.node)
      // versions before incarnations stored the name alone
      const isUnnamed = nodeTimeout === undefined && !others.some((other) => other.node === name && !isGone(other))
      const ended = [...gone, ...(isUnnamed ? [name] : [])].map((each) => ({ node: each, seenAt: null }))
      return { ...judged, dead: [...ended, ...judged?.dead ?? []] }
    })
  }

  return {
    node,
    beat,
    eligible,
    join,
    silentAfter,
    rareness,
    awaitTurn: (interval) => Effect.suspend(() => awaitTurn(interval))
  }
})
