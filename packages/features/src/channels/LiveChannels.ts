// The channels of a service, and what their jobs need: the service of runs, which is built after them, and when calls
// of their platforms may be made.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type * as Channel from "@svc-runtime/channels/Channel"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Listeners from "@svc-runtime/engine/signals/Listeners"
import { Context, Deferred, Effect, Latch, Layer, type Option } from "effect"
import type { ChannelLimits } from "./ChannelSettings.ts"
import type { ChannelStore } from "./ChannelStore.ts"
import * as PlatformCalls from "./PlatformCalls.ts"
import type * as Policy from "./Policy.ts"
import type { SendMessage } from "./Sending.ts"
import type * as SessionMarks from "./SessionMarks.ts"
import type * as StoredChannel from "./StoredChannel.ts"

/** A channel that is served here. */
export interface LiveChannel extends Channel.Channel {
  readonly component: ComponentRef
  readonly gate: PlatformCalls.Gate
  /** What a request has stored. Undefined: the code of the service declares it. */
  readonly stored: StoredChannel.Stored | undefined
}

/** Finds the channels that requests have made. */
interface Requested {
  readonly find: (id: string) => Effect.Effect<Option.Option<LiveChannel>, StorageUnavailable>
  readonly all: Effect.Effect<ReadonlyArray<LiveChannel>, StorageUnavailable>
  readonly changed: (channel: LiveChannel) => Effect.Effect<void>
}

const componentOf = ({ agent, team, workflow }: Channel.Options): ComponentRef => {
  if (agent !== undefined) return { kind: "agent", id: agent }
  return team === undefined ? { kind: "workflow", id: workflow ?? "" } : { kind: "team", id: team }
}

export const live = (channel: Channel.Channel, stored?: StoredChannel.Stored): LiveChannel => ({
  ...channel,
  stored,
  component: componentOf(channel),
  gate: PlatformCalls.gate()
})

export interface Messages {
  readonly send: SendMessage
  readonly placeOf: ChannelStore["Service"]["placeOf"]
}

/** What is built after the jobs. */
export interface Around {
  readonly runs: RunService["Service"]
  readonly linked: Policy.FindPerson
  readonly messages: Messages
  readonly mark: SessionMarks.Mark
  /** Signals the workers that a reply is stored. */
  readonly signal: Effect.Effect<void>
  readonly publicUrl: string | undefined
}

export class LiveChannels extends Context.Service<LiveChannels, {
  readonly limits: ChannelLimits
  readonly find: (id: string) => Effect.Effect<Option.Option<LiveChannel>, StorageUnavailable>
  /** By their ids. */
  readonly all: Effect.Effect<ReadonlyArray<LiveChannel>, StorageUnavailable>
  /** Waits until the service of runs is built. */
  readonly runs: Effect.Effect<RunService["Service"]>
  /** Who has linked an account on the platform. Waits likewise. */
  readonly linked: Policy.FindPerson
  readonly messages: Effect.Effect<Messages>
  /** Notes in a session that it is of a conversation. */
  readonly mark: SessionMarks.Mark
  readonly signal: Effect.Effect<void>
  readonly bind: (around: Around) => Effect.Effect<void>
  /** Returns when a request has changed or removed the channel. */
  readonly changed: (channel: LiveChannel) => Effect.Effect<void>
  /** Returns when the service stops. */
  readonly stopping: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** Paused runs that this process has resumed, in any database. */
  readonly resumes: Listeners.Listeners<Run.Id>
  /** Where people sign in to the service, if the settings say it. */
  readonly publicUrl: () => string | undefined
}>()("@svc-runtime/features/channels/LiveChannels") {
  static readonly layer = (
    limits: ChannelLimits,
    declared: ReadonlyArray<Channel.Channel>,
    requested: Requested
  ): Layer.Layer<LiveChannels> =>
    Layer.sync(LiveChannels, () => {
      const bound = Deferred.makeUnsafe<Around>()
      const stopping = Latch.makeUnsafe(false)
      let url: string | undefined
      const all = new Map(declared.map((channel) => [channel.id, live(channel)]))
      return LiveChannels.of({
        limits,
        all: Effect.map(requested.all, (more) =>
          [...all.values(), ...more.filter(({ id }) => !all.has(id))]
            .toSorted((one, other) => one.id < other.id ? -1 : 1)),
        find: (id) => {
          const found = all.get(id)
          return found === undefined ? requested.find(id) : Effect.succeedSome(found)
        },
        runs: Effect.map(Deferred.await(bound), ({ runs }) => runs),
        linked: (channel, sender) => Effect.flatMap(Deferred.await(bound), ({ linked }) => linked(channel, sender)),
        changed: requested.changed,
        stopping: stopping.await,
        stop: stopping.open,
        resumes: Listeners.make<Run.Id>(),
        mark: (...given) => Effect.flatMap(Deferred.await(bound), ({ mark }) => mark(...given)),
        messages: Effect.map(Deferred.await(bound), ({ messages }) => messages),
        signal: Effect.flatMap(Deferred.await(bound), ({ signal }) => signal),
        bind: (around) => {
          url = around.publicUrl
          return Effect.asVoid(Deferred.succeed(bound, around))
        },
        publicUrl: () => url
      })
    })
}
