// What the engine executes: a component of any kind that is ready to run. The engine handles the lease, the queue and
// the storage of a run, and the component its execution.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import type { Effect, Option } from "effect"
import type { JobsAfterRun } from "../jobs/JobsAfterRun.ts"
import type { StateChange } from "../session/StateChange.ts"
import type { Cancellation } from "./engine/Cancellation.ts"
import type { RunJournal } from "./journal/RunJournal.ts"
import type { Limits } from "./StartLimits.ts"
import type { MemberHistoryQuery } from "./store/RunReads.ts"
import type { StartSnapshot } from "./store/RunWrites.ts"

/** What sessions and events name of the component. */
export interface ComponentIdentity {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
  /** The keys by which its events name it. */
  readonly tags: RunEvent.Tags
  /** What the session keeps of it. */
  readonly data: Json.Object
  readonly metadata: Json.Object | null
}

export interface Start {
  /** What the store had when it accepted the run, and the moment at which it did, in epoch seconds. */
  readonly snapshot: StartSnapshot
  readonly createdAt: number
  readonly emit: (payload: RunEvent.Payload | RunEvent.Inner) => void
  readonly cancellation: Cancellation
  readonly journal: RunJournal
  /** Reads the history of a member of a team. Left out in workflows, where members have none. */
  readonly memberHistory?:
    | ((recall: Omit<MemberHistoryQuery, "run_id">) => Effect.Effect<ReadonlyArray<Message.Message>>)
    | undefined
  /** The place of a root run in its trace. Left out: the run is a part of the span around. */
  readonly trace?: RunSpan.Root | undefined
  /** The run is resumed: after a pause, or after its node has stopped. Its first event was shown long ago. */
  readonly isContinued: boolean
}

export interface RunResult<Output extends AnyRun.Output = AnyRun.Output> {
  readonly output: Output
  /** To be shown when the output is stored, and not before. */
  readonly endEvent: RunEvent.Payload
  /** Changes of the session state since the run began or was resumed. Undefined without changes. */
  readonly stateChanges: StateChange | undefined
  /** The background jobs of this end, stored with it. */
  readonly jobs?: JobsAfterRun | undefined
}

export interface Runnable<Output extends AnyRun.Output = AnyRun.Output> {
  readonly component: ComponentIdentity
  /** What is needed to make this again, on any node. */
  readonly options: Json.Object
  /** Whether its events are kept even if the run cannot be watched. */
  readonly storesEvents?: boolean
  /** How many of the session's last ended runs it is shown. */
  readonly history: number
  /** Runs that were cancelled or failed are not among them. */
  readonly skipsUnfinished?: boolean | undefined
  /**
   * Whether the run could observe other runs of its session, or be observed by them. It is then queued behind them.
   */
  readonly isSerialized: boolean
  /** The component's own. */
  readonly limits?: Limits | undefined
  /** Its first event. */
  readonly startEvent: RunEvent.Payload
  /** The first journal entries of a run that continues another one. */
  readonly entries: ReadonlyArray<Json.Object>
  /**
   * None when it was interrupted without having been cancelled: the run stays as it is, for the node that takes it
   * over.
   */
  readonly run: (start: Start) => Effect.Effect<Option.Option<RunResult<Output>>>
}
