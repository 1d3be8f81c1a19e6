// Values of the store about leases: who executes a run, and how it changes hands.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Session from "@svc-runtime/domain/Session"

/** A run under a lease. The first attempt is 1. */
export interface Lease {
  readonly run_id: Run.Id
  readonly attempt: number
}

/** A run whose lease a node has just acquired. What is stored of it is read by `load`. */
export interface Acquired extends Lease {
  readonly session_id: Session.Id
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
  readonly user_id: Ids.UserId | null
  readonly status: Run.Status
  readonly created_at: number
  /** As `NewRun` has it. Null: it was not begun by a statement of its own. */
  readonly begin_id: string | null
  /** How many events are stored. */
  readonly eventCount: number
  /** How often its holder died since the last journal entry. */
  readonly takeovers: number
  /** How often it was released without being executed since the last journal entry. */
  readonly postponed: number
  /** The node that held it. Empty if it was released. */
  readonly holder: string
  /** Seconds since the last heartbeat of that node. Null without one. */
  readonly silentFor: number | null
  /** No live node has been able to execute it for `unservedAfter` seconds. */
  readonly isUnserved: boolean
}

/** A node that counts as dead. */
export interface DeadNode {
  readonly node: string
  /** Its last heartbeat: if it has sent another one since, it is not dead. Null: its process has ended. */
  readonly seenAt: string | null
}

/** Which nodes count as dead. */
export interface Deaths {
  /** "every": all nodes except the one that asks. None, when left out. */
  readonly dead?: ReadonlyArray<DeadNode> | "every" | undefined
  /**
   * The node that asks is steady: its own heartbeats were stored without a gap for NODE_TIMEOUT. Then nodes without
   * any heartbeat are dead too.
   */
  readonly isSteady?: boolean | undefined
}

export interface Takeover extends Deaths {
  /** The node that acquires them. */
  readonly node: string
  /** Whether runs are meant that are stored under this node's name and that it does not execute. */
  readonly isStarting: boolean
  /** Runs that this node executes after all. None, when left out. */
  readonly except?: ReadonlyArray<Run.Id> | undefined
  /** Limits the node's own runs to these. All, when left out. */
  readonly only?: ReadonlyArray<Run.Id> | undefined
  /** Only runs of nodes whose names begin like this: the node is a guest. A service, when left out. */
  readonly guest?: string | undefined
  /** The components that the node can execute, as `componentKey` names them. All, when left out. */
  readonly components?: ReadonlyArray<string> | undefined
  /** The newest stored format that the node can read. Any, when left out. */
  readonly format?: number | undefined
  /** Seconds after which a run that no node can execute is acquired. Never, when left out. */
  readonly unservedAfter?: number | undefined
  /** True: only runs with `suspectAfter` takeovers without progress, false: only the others. Both, when left out. */
  readonly suspects?: boolean | undefined
  readonly limit: number
}

/** The description of a node, which is stored with its heartbeat. */
export interface Presence {
  /** Unique for each process. */
  readonly node: string
  /** Names the operating system's process, where others on the same machine can look for it. */
  readonly process: string | null
  readonly components: ReadonlyArray<string>
  readonly format: number
  /** Seconds. If two heartbeats are further apart, the node is steady only after another NODE_TIMEOUT. */
  readonly maxGap: number
}

/** By the clock of the database. */
export interface KnownNode extends Pick<Presence, "node" | "process"> {
  /** Distinguishes its last heartbeat from others. */
  readonly seenAt: string
  /** Seconds since the last heartbeat. */
  readonly silentFor: number
  /** Seconds since the first heartbeat after the last gap. */
  readonly steadyFor: number
}

export interface NodeRuns {
  /** Empty for runs that no node has: of nodes that have stopped, or of components that no node serves. */
  readonly node: string
  readonly runs: number
}

/** The runs that `nodeRuns` counts at most. */
export const maxCountedRuns = 10_000

/** A run that is released without having been executed. */
export interface Postponement extends Lease {
  /** Seconds during which no node acquires it. */
  readonly seconds: number
  /** The stored format that its next holder has to read, where that is newer than what this node reads. */
  readonly format?: number | undefined
}

/** The end of a run that cannot be read. */
export interface SettingAside extends Lease {
  readonly reason: string
  /** Shown until the run is continued; what was stored is kept. */
  readonly output: AnyRun.Output
  readonly last: RunEvent.RunEvent | undefined
  readonly updated_at: number
}
