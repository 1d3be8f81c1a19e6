// Stores what arrives on channels until it is handled, which session a conversation has, and what is to be written. The
// rows are those of the service's own database.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { Context, type Effect, type Option, Schema } from "effect"
import type {
  Arrival,
  Asking,
  Delivery,
  Failure,
  Health,
  Lane,
  NewReply,
  Pending,
  Place,
  Post,
  Reply,
  Waiting
} from "./ChannelRows.ts"

/** What is counted of what waits. */
export const maxCounted = 10_000

/** Too many events wait: the platform delivers this one again. */
export class ChannelFull extends Schema.TaggedError<ChannelFull>()("ChannelFull", {}) {
  override get message() {
    return "Too many messages wait to be answered. Try again shortly."
  }
}

/** How many replies of a conversation that wait for a decision are looked at. */
export const maxAsking = 20

/** Why an event or a reply is stored as failed. */
export const unreadable = "It cannot be read"

/** How many events may wait. */
export interface Room {
  readonly perThread: number
  readonly perSender: number
  readonly perChannel: number
}

export interface Accepting {
  readonly at: number
  readonly room: Room
  /** Of the conversations of the events. Each is enqueued unless one waits. */
  readonly jobs: ReadonlyArray<Job.NewJob>
}

/** A conversation: within a channel, events of one are handled in order. */
export interface Thread {
  readonly channel: string
  readonly thread: string
}

/** What a person has of a conversation. */
export interface Participant extends Thread {
  readonly user_id: Ids.UserId
}

export interface Handling {
  readonly at: number
  /** The session of the person in the conversation from now on. */
  readonly session?: { readonly user_id: Ids.UserId; readonly session_id: Session.Id } | undefined
  readonly replies?: ReadonlyArray<Replying> | undefined
  /** The reply whose prompt is decided. */
  readonly decided?: string | undefined
  /** What a reply asks for from now on. */
  readonly asks?: { readonly id: string; readonly pending: Pending } | undefined
  /** Why it was not handled as it should have been. */
  readonly error?: string | undefined
}

export interface Replying {
  readonly row: NewReply
  readonly job: Job.NewJob
}

export class ChannelStore extends Context.Service<ChannelStore, {
  /** Stores the events that are not known, all or none, with the jobs. Returns how many were new. */
  readonly accept: (
    events: ReadonlyArray<Arrival>,
    accepting: Accepting
  ) => Effect.Effect<number, ChannelFull | StorageUnavailable>
  /** The first event of the conversation that waits. One that cannot be read is stored as failed. */
  readonly next: (of: Thread) => Effect.Effect<Option.Option<Waiting>, StorageUnavailable>
  readonly sessionOf: (of: Participant) => Effect.Effect<Option.Option<Session.Id>, StorageUnavailable>
  /** The event waits no more. What it leads to is stored with it. */
  readonly handled: (event: Waiting, handling: Handling) => Effect.Effect<void, StorageUnavailable>
  /** Stores a reply that no event has caused, with its job. */
  readonly reply: (reply: Replying) => Effect.Effect<void, StorageUnavailable>
  /** The prompt is decided, and what that leads to is stored with it. */
  readonly decided: (
    id: string,
    deciding: Pick<Handling, "at"> & { readonly replies: ReadonlyArray<Replying> }
  ) => Effect.Effect<void, StorageUnavailable>
  /** The same for a message that a caller sends, unless so many replies of the channel wait. False: it is full. */
  readonly send: (reply: Replying, most: number) => Effect.Effect<boolean, StorageUnavailable>
  /** The message that was sent with this id. */
  readonly sent: (channel: string, id: string) => Effect.Effect<Option.Option<Delivery>, StorageUnavailable>
  /** Where a conversation is in which a user of the owner has written. */
  readonly placeIn: (of: Thread, owner: Owner.Owner) => Effect.Effect<Option.Option<Place>, StorageUnavailable>
  /** The last direct conversation with the person. */
  readonly directPlaceOf: (
    channel: string,
    sender: string,
    user_id: Ids.UserId
  ) => Effect.Effect<Option.Option<Place>, StorageUnavailable>
  /** The last conversation that has the session. */
  readonly placeOf: (session_id: Session.Id) => Effect.Effect<Option.Option<Place>, StorageUnavailable>
  readonly health: (channel: string) => Effect.Effect<Health, StorageUnavailable>
  /** It replaces the one before. */
  readonly failed: (channel: string, failure: Failure) => Effect.Effect<void, StorageUnavailable>
  /** The first reply of the conversation that is not written. One that cannot be read is stored as failed. */
  readonly nextReply: (of: Thread & { readonly lane: Lane }) => Effect.Effect<Option.Option<Reply>, StorageUnavailable>
  readonly posted: (id: string, posts: ReadonlyArray<Post>) => Effect.Effect<void, StorageUnavailable>
  /**
   * The reply asks for a decision: stored before people see its buttons, with the job that looks whether it is decided
   * elsewhere.
   */
  readonly pending: (id: string, pending: Pending, job: Job.NewJob) => Effect.Effect<void, StorageUnavailable>
  /** The reply with this prompt. */
  readonly asking: (channel: string, prompt_id: string) => Effect.Effect<Option.Option<Asking>, StorageUnavailable>
  /** The replies of the conversation, or of one of its runs, that wait for a decision: the last ones, newest first. */
  readonly askingIn: (
    of: Thread & { readonly run_id?: Run.Id | undefined }
  ) => Effect.Effect<ReadonlyArray<Asking>, StorageUnavailable>
  /** It is written, or cannot be: `error` says why. */
  readonly written: (
    id: string,
    ended: { readonly at: number; readonly error: string | null }
  ) => Effect.Effect<void, StorageUnavailable>
}>()("@svc-runtime/features/channels/ChannelStore") {}
