// Where runs are kept: a row per run, a row per message, a row per event, in an order that the database gives. A run is
// accepted by `begin` and answered after `finish`; each is one transaction, and neither looks at the earlier runs of the
// session except for the history that was asked for.
import type { Ids, Json, Message, Owner, Run, RunEvent, Session, StorageUnavailable, Usage } from "@svc/domain"
import { Context, type Effect, Layer, type Option } from "effect"
import { MemoryDatabase } from "../MemoryDatabase.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import * as MemoryRuns from "./MemoryRuns.ts"
import type { RunExists } from "./RunErrors.ts"

export interface Beginning {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly kind: Session.Kind
  readonly component_id: string
  readonly user_id: Ids.UserId | null
  /**
   * The caller is kept apart from others: the session has to be the user's own, or new. One without an owner is not
   * theirs.
   */
  readonly isolated: boolean
  /** The node that executes the run: if it comes back without it, the run has ended with it. */
  readonly node: string
  readonly created_at: number
  readonly input: Run.Input
  /** The name of the session as long as nobody gives it another. */
  readonly derived_name: string
  /** What the session keeps of its component: name, id, model. */
  readonly component_data: Json.Object
  readonly component_metadata: Json.Object | null
  /** How many of the session's last completed runs to read the messages of. */
  readonly history: number
}

export interface Begun {
  readonly session_state: Json.Object
  /** Oldest first, without system messages. */
  readonly history: ReadonlyArray<Message.Message>
}

export interface Ending {
  /** As it is answered, with its messages. */
  readonly run: Run.Output
  /** Those that are not stored yet. Null when nobody can watch: the run's events are not kept then. */
  readonly events: ReadonlyArray<RunEvent.RunEvent> | null
  /** Undefined when the run left the state as it found it. */
  readonly session_state: Json.Object | undefined
  readonly usage: Usage.RunMetrics
  readonly updated_at: number
}

/** New events of a run that goes on. */
export interface Happened {
  readonly run_id: Run.Id
  readonly events: ReadonlyArray<RunEvent.RunEvent>
}

export interface EventRange {
  /** Events behind this index; -1 for all of them. */
  readonly after: number
  readonly limit: number
}

export interface ReadEvents {
  readonly status: Run.Status
  /** How many the run has, all in all. */
  readonly count: number
  /** In their order, pieces of the answer and all. */
  readonly events: ReadonlyArray<RunEvent.RunEvent>
}

export interface RunFilter {
  /** Of the session. */
  readonly owner: Owner.Owner
  /** Only the runs of this component, and only if the session is its own. */
  readonly component?: { readonly kind: Session.Kind; readonly id: string } | undefined
  readonly status?: string | undefined
  /** Epoch seconds, inclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
}

export class RunStore extends Context.Service<RunStore, {
  /**
   * Accepts a run: makes its session if there is none, and stores it as RUNNING. A session of another user or of
   * another component is not found; a session without an owner is taken over by the first user who runs in it, but is
   * not found by one who is isolated. `updated_at` moves only if the run changes what the session says of itself.
   */
  readonly begin: (
    beginning: Beginning
  ) => Effect.Effect<Begun, SessionNotFound | RunExists | StorageUnavailable>
  /**
   * Stores the end of a run and adds its usage to the session. A session that was deleted meanwhile stays deleted, and a
   * run that has ended stays as it is: an ending can be sent again when nobody knows whether it arrived.
   */
  readonly finish: (ending: Ending) => Effect.Effect<void, StorageUnavailable>
  /** With its messages, and with its events without the pieces of the answer. */
  readonly find: (
    session: Session.Id,
    run: Run.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<Run.Output>, StorageUnavailable>
  /** In the order of acceptance; none when there is no such session. Statuses compare exactly. */
  readonly list: (
    session: Session.Id,
    filter: RunFilter
  ) => Effect.Effect<Option.Option<ReadonlyArray<Run.Output>>, StorageUnavailable>
  /** Stores what has happened in runs that go on. Events that are stored already are passed over. */
  readonly appendEvents: (happened: ReadonlyArray<Happened>) => Effect.Effect<void, StorageUnavailable>
  /** None when there is no such run. */
  readonly readEvents: (
    session: Session.Id | undefined,
    run: Run.Id,
    filter: RunFilter,
    range: EventRange
  ) => Effect.Effect<Option.Option<ReadEvents>, StorageUnavailable>
  /**
   * Asks for the end of a run that has not ended, and tells whether there is such a run at all. Whoever executes it looks
   * for that with `cancelRequested`.
   */
  readonly requestCancel: (
    run: Run.Id,
    session: Session.Id | undefined,
    filter: RunFilter
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** What a node is running and somebody wants ended. */
  readonly cancelRequested: (node: string) => Effect.Effect<ReadonlyArray<Run.Id>, StorageUnavailable>
  /**
   * Ends what a node was running when it stopped without a word, and tells those who watch. Gives the number of runs it
   * ended.
   */
  readonly endAbandoned: (node: string, updatedAt: number) => Effect.Effect<number, StorageUnavailable>
}>()("@svc/runtime/run/RunStore") {
  static readonly layerMemory: Layer.Layer<RunStore, never, MemoryDatabase> = Layer.effect(
    RunStore,
    MemoryDatabase.useSync((database) => RunStore.of(MemoryRuns.make(database)))
  )
}
