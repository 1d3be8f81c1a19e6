// The rules of takeovers, for every store.
//
// While the database is away, no node can send heartbeats, and afterwards all nodes have been silent. So only a node
// whose own heartbeats were stored without a gap for NODE_TIMEOUT takes over the runs of silent nodes: the database was
// there for so long that each living node has sent a heartbeat. All times are those of the database.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { DeadNode, KnownNode } from "../../node/LeasedRuns.ts"
import { takeoverAfter } from "../../node/NodeHeartbeat.ts"

/** One and a half times the interval of heartbeats: a heartbeat that was not stored is a gap. */
export const maxGapOf = (nodeTimeout: number): number => nodeTimeout * 3 / 8

/** `gap`: seconds since the heartbeat before. Less than nothing: the clock of the database was set back. */
export const isContinuous = (gap: number, maxGap: number): boolean => gap >= 0 && gap <= maxGap

export interface Judgement {
  readonly isSteady: boolean
  readonly dead: ReadonlyArray<DeadNode>
}

/** Which nodes `self` counts as dead. */
export const judge = (nodes: ReadonlyArray<KnownNode>, self: string, nodeTimeout: number): Judgement => {
  const own = nodes.find(({ node }) => node === self)
  const maxGap = maxGapOf(nodeTimeout)
  const isSteady = own !== undefined && Math.abs(own.silentFor) <= maxGap && own.steadyFor >= nodeTimeout
  // a heartbeat of the future was stored before the clock of the database was set back
  const isSilent = ({ node, silentFor }: KnownNode) => node !== self && Math.abs(silentFor) > takeoverAfter(nodeTimeout)
  return { isSteady, dead: isSteady ? nodes.filter(isSilent).map(({ node, seenAt }) => ({ node, seenAt })) : [] }
}

/** The nodes of programs that are guests begin with it. Services execute none of their runs: they set them aside. */
export const ofGuests = "guest:"

/** A run that lost its node this often without progress may crash its nodes. */
export const suspectAfter = 2

/** The entry for all stored components in the list of a node. No component has this key. */
export const storedComponents = "*"

/** Names the component of a run, as nodes list the components that they can execute. */
export const componentKey = (
  { component_id, kind }: { readonly kind: ComponentKind.ComponentKind; readonly component_id: string }
): string => `${kind}/${component_id}`

/** The component that a key names. */
export const componentOf = (key: string): { readonly kind: ComponentKind.ComponentKind; readonly id: string } => {
  const [kind = "", ...rest] = key.split("/")
  return { kind: kind as ComponentKind.ComponentKind, id: rest.join("/") }
}
