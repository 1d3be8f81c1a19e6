// What the engine executes: a component that is ready to run, of whatever kind it is. The engine knows when a run
// begins, who holds it and where it is kept; what happens in it is the component's own.
import type * as AnyRun from "@svc/domain/AnyRun"
import type * as ComponentKind from "@svc/domain/ComponentKind"
import type * as Json from "@svc/domain/Json"
import type * as Message from "@svc/domain/Message"
import type * as RunEvent from "@svc/domain/RunEvent"
import type { Effect, Option } from "effect"
import type { StateChange } from "../session/StateChange.ts"
import type { Cancellation } from "./Cancellation.ts"
import type { RunJournal } from "./RunJournal.ts"
import type { MemberHistoryQuery, StartSnapshot } from "./RunStore.ts"

/** What sessions and events say of the component. */
export interface Component {
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
  /** Reads what a member of a team remembers. Left out where nothing is kept of members: in workflows. */
  readonly memberHistory?:
    | ((recall: Omit<MemberHistoryQuery, "run_id">) => Effect.Effect<ReadonlyArray<Message.Message>>)
    | undefined
  /** The run is resumed: after a pause, or after its node has stopped. Its first event was shown long ago. */
  readonly isContinued: boolean
}

export interface RunResult<Output extends AnyRun.Output = AnyRun.Output> {
  readonly output: Output
  /** To be shown when the output is stored, and not before. */
  readonly endEvent: RunEvent.Payload
  /** In the state of its session, since it began or was resumed. Undefined when the run left it as it found it. */
  readonly stateChanges: StateChange | undefined
}

export interface Runnable<Output extends AnyRun.Output = AnyRun.Output> {
  readonly component: Component
  /** What is needed to make this again, on any node. */
  readonly options: Json.Object
  /** Whether its events are kept even if the run cannot be watched. */
  readonly storesEvents?: boolean
  /** How many of the session's last completed runs it is shown. */
  readonly history: number
  /**
   * Whether it could see what the runs before it leave in their session, or leave something itself: it waits for its
   * turn then.
   */
  readonly isSerialized: boolean
  /** Its first event. */
  readonly startEvent: RunEvent.Payload
  /** What it starts from, when it continues another run. */
  readonly entries: ReadonlyArray<Json.Object>
  /**
   * None when it was interrupted without having been cancelled: the run stays as it is, for the node that takes it
   * over.
   */
  readonly run: (start: Start) => Effect.Effect<Option.Option<RunResult<Output>>>
}
