// Runs that the service itself has started in the session of a conversation are shown there: the results of background
// tasks, and runs of schedules.
import { Conversations } from "@svc-runtime/agents/runService/Conversations"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Effect, Layer, Option } from "effect"
import { replyJob } from "./ChannelJobs.ts"
import type { NewReply } from "./ChannelRows.ts"
import { ChannelStore } from "./ChannelStore.ts"
import { LiveChannels } from "./LiveChannels.ts"

export const layer = Layer.effect(
  Conversations,
  Effect.gen(function*() {
    const [store, { signal }] = [yield* ChannelStore, yield* LiveChannels]
    const newId = yield* NewId
    return Conversations.of({
      show: Effect.fnUntraced(function*({ component, run_id, session_id }) {
        const found = yield* store.placeOf(session_id)
        if (Option.isNone(found)) return
        const { channel, is_direct, place, sender, thread, user_id } = found.value
        const row: NewReply = {
          id: newId(),
          channel,
          thread,
          cause: `run ${run_id}`,
          place,
          is_direct,
          sender: { id: sender, name: null },
          user_id,
          run: { ...component, run_id, session_id, after: 0 },
          text: null,
          pending: null,
          posts: [],
          created_at: yield* now
        }
        yield* store.reply({ row, job: yield* replyJob({ channel, thread }) })
        yield* signal
      })
    })
  })
)
