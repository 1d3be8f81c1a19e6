// What arrives on a channel: it is verified and read by the adapter, and stored before the platform gets its response.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import * as ChannelEvent from "./ChannelEvent.ts"
import { keyOf, threadJob } from "./ChannelJobs.ts"
import type { ChannelLimits } from "./ChannelSettings.ts"
import type { ChannelStore } from "./ChannelStore.ts"
import type { LiveChannel } from "./LiveChannels.ts"

export interface Options {
  readonly store: ChannelStore["Service"]
  readonly signal: Effect.Effect<void>
  readonly room: ChannelLimits["room"]
}

export const make = ({ room, signal, store }: Options) =>
  /** Returns when the events are stored. Known events change nothing. */
  Effect.fnUntraced(function*({ id: channel }: LiveChannel, given: ReadonlyArray<Adapter.Event>) {
    const events = yield* Effect.fromResult(ChannelEvent.checked(given))
    if (events.length === 0) return
    const [newId, at] = [yield* NewId, yield* now]
    const threads = new Map(events.map(({ thread }) => [keyOf({ channel, thread }), { channel, thread }]))
    const jobs = yield* Effect.forEach(threads.values(), threadJob)
    const arrivals = events.map((event) => ({
      channel,
      event,
      run_id: Run.Id.make(newId()),
      session_id: Session.Id.make(newId()),
      received_at: at
    }))
    if ((yield* store.accept(arrivals, { at, room, jobs })) > 0) yield* signal
  })
