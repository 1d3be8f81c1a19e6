// Identifies a node among the nodes of a database. Each process has a unique incarnation beside its name, so two
// processes with one name do not take each other's runs.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect } from "effect"
import { NewId } from "../../NewId.ts"
import type { KnownNode, Takeover } from "../../node/LeasedRuns.ts"
import type { RunLeases } from "../store/RunLeases.ts"

export interface Identity {
  /** Names the operating system's process for others on the same machine. */
  readonly self: string
  /** Whether a process on this machine is certainly not running any more. */
  readonly isGone: (process: string) => boolean
}

export interface Options {
  readonly leases: RunLeases["Service"]
  readonly name: string
  readonly identity: Identity | undefined
  /** Whether other processes may use the database. */
  readonly isShared: boolean
  readonly nodeTimeout: number | undefined
  readonly components: () => ReadonlyArray<string>
  readonly format: number
}

/** For a node that takes over no runs of others, only those of earlier processes with its own name. */
const ownTimeout = 8

/** In a database of one process the previous node is dead, even if its last heartbeat is recent. */
const everyNodeIsDead = -1

export const nameOf = (node: string): string => node.replace(/#[^#]*$/, "")

export interface Presence {
  readonly node: string
  readonly beat: Effect.Effect<void, StorageUnavailable>
  /** The nodes whose leases this node may take over. */
  readonly eligible: (isStarting: boolean) => Effect.Effect<Pick<Takeover, "nodeTimeout" | "dead">, StorageUnavailable>
  /** Stores the first heartbeat, and warns of another node with the same name. */
  readonly join: Effect.Effect<void, StorageUnavailable>
  /** Seconds without a heartbeat after which a node counts as stopped. */
  readonly silentAfter: number
}

export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Presence> {
  const { components, format, identity, isShared, name, nodeTimeout, leases } = options
  const newId = yield* NewId
  const node = `${name}#${newId().slice(0, 13)}`

  const predecessors = Effect.map(
    leases.nodes,
    (nodes) => nodes.filter((other) => other.node !== node && nameOf(other.node) === name)
  )

  const isGone = ({ process, silentFor }: KnownNode): boolean =>
    (process !== null && identity?.isGone(process) === true) ||
    (nodeTimeout === undefined && silentFor >= ownTimeout)

  const beat = Effect.suspend(() =>
    leases.heartbeat({ node, process: identity?.self ?? null, components: components(), format })
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
    const others = isShared ? yield* predecessors : []
    yield* beat
    yield* Effect.forEach(
      others.filter((other) => !isGone(other) && other.silentFor < (nodeTimeout ?? ownTimeout)),
      warnOf
    )
  })

  const eligible: Presence["eligible"] = (isStarting) => {
    if (!isShared) return Effect.succeed({ nodeTimeout: isStarting ? everyNodeIsDead : undefined, dead: [] })
    if (!isStarting && nodeTimeout !== undefined) return Effect.succeed({ nodeTimeout, dead: [] })
    return Effect.map(predecessors, (others) => {
      const alive = others.filter((other) => !isGone(other)).map((other) => other.node)
      // versions before incarnations stored the name alone
      const unnamed = alive.includes(name) ? [] : [name]
      const gone = others.filter(isGone).map((other) => other.node)
      return { nodeTimeout, dead: [...gone, ...(nodeTimeout === undefined ? unnamed : [])] }
    })
  }

  return { node, beat, eligible, join, silentAfter: nodeTimeout ?? ownTimeout }
})
