// The port of leases: which node executes a run, and what other nodes want of that node.
//
// A run is executed under the number of its lease, its `attempt`. A takeover raises the number, and writes
// under an old one are refused: a node that was only slow cannot write into a run that another node has resumed.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type { Acquired, KnownNode, Lease, NodeRuns, Postponement, Presence, Takeover } from "../../node/LeasedRuns.ts"
import type { RunUnreadable } from "../RunErrors.ts"
import type { CancelRequested, RunFilter, RunSnapshot } from "./RunReads.ts"

export class RunLeases extends Context.Service<RunLeases, {
  /**
   * Acquires the leases of unfinished runs that no node executes: runs of dead nodes, released runs, and, if
   * `isStarting`, runs of the node itself. Leaves runs that the node cannot execute to other nodes.
   */
  readonly takeOver: (takeover: Takeover) => Effect.Effect<ReadonlyArray<Acquired>, StorageUnavailable>
  /** Reads a run that this node holds. None if it is no longer held under this attempt. */
  readonly load: (held: Lease) => Effect.Effect<Option.Option<RunSnapshot>, RunUnreadable | StorageUnavailable>
  /** Releases a run for some seconds: any node acquires it after them. Changes nothing if it is no longer held. */
  readonly postpone: (postponement: Postponement) => Effect.Effect<void, StorageUnavailable>
  /** Releases the leases of a node, so that any node can acquire its runs at once. */
  readonly release: (node: string) => Effect.Effect<void, StorageUnavailable>
  /** Stores the heartbeat of a node. The first one also stores the description of the node. */
  readonly heartbeat: (presence: Presence) => Effect.Effect<void, StorageUnavailable>
  /** The nodes with a heartbeat that have not handed over. */
  readonly nodes: Effect.Effect<ReadonlyArray<KnownNode>, StorageUnavailable>
  /** The number of unfinished runs of each node. At most `maxCountedRuns` are counted in all. */
  readonly nodeRuns: Effect.Effect<ReadonlyArray<NodeRuns>, StorageUnavailable>
  /**
   * Requests cancellation of an unfinished run. Its node polls for requests with `cancelRequested`. Returns the status
   * of the run at that moment, or none if there is no such run.
   */
  readonly requestCancel: (
    run: Run.Id,
    session: Session.Id | undefined,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<CancelRequested>, StorageUnavailable>
  /** The runs of a node that have a cancel request. */
  readonly cancelRequested: (node: string) => Effect.Effect<ReadonlyArray<Run.Id>, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/RunLeases") {}
