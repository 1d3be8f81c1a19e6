// Runs that the service itself has started in the session of a conversation are shown there: the results of background
// tasks, and runs of schedules.
import { Conversations } from "@svc-runtime/agents/runService/Conversations"
import { Effect, Layer, Option } from "effect"
import { ChannelStore } from "./ChannelStore.ts"
import { LiveChannels } from "./LiveChannels.ts"
import * as Replies from "./Replies.ts"

export const layer = Layer.effect(
  Conversations,
  Effect.gen(function*() {
    const [store, { signal }] = [yield* ChannelStore, yield* LiveChannels]
    return Conversations.of({
      show: Effect.fnUntraced(function*({ component, run_id, session_id }) {
        const found = yield* store.placeOf(session_id)
        if (Option.isNone(found)) return
        const { channel, is_direct, place, sender, thread, user_id } = found.value
        const about = { channel, thread, place, is_direct, sender: { id: sender, name: null }, cause: `run ${run_id}` }
        const run = { ...component, run_id, session_id, after: 0 }
        for (const reply of yield* Replies.make(about, [{ user_id, run }])) yield* store.reply(reply)
        yield* signal
      })
    })
  })
)
