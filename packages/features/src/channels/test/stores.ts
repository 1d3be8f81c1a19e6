// The store of channels, for the tests that call all stores.
import * as Session from "@svc-runtime/domain/Session"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { replyJob, threadJob } from "../ChannelJobs.ts"
import { ChannelStore } from "../ChannelStore.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"

const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_channel_events (
      channel, event_id, thread, sender, event, run_id, session_id, received_at, handled_at
    )
    select 'channel-' || number % 10, 'event-' || number, 'thread-' || number % 100, 'sender-' || number % 100, null,
      'run-' || number, 'session-' || number, 1, case when number % 10 = 0 then null else 1 end
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_channel_sessions (channel, thread, user_id, session_id, updated_at)
    select 'channel-' || number % 10, 'thread-' || number, 'user-' || number % 100, 'session-' || number, 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_channel_replies (
      id, channel, thread, cause, place, posts, created_at, written_at
    )
    select 'reply-' || number, 'channel-' || number % 10, 'thread-' || number % 100, 'cause-' || number, '{}', '[]', 1,
      case when number % 10 = 0 then null else 1 end
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const store = yield* ChannelStore
  const channel = "channel-1"
  const thread = { channel, thread: "T1" }
  const arrival = ChannelStoreSuite.arrival(channel)
  const user_id = userId()
  const row = () => ChannelStoreSuite.reply(channel)
  const session = { user_id, session_id: Session.Id.make("session-1") }
  return {
    "channels.accept": Effect.flatMap(
      threadJob(thread),
      (job) => store.accept([arrival], { at: 1, room: ChannelStoreSuite.room, jobs: [job] })
    ),
    "channels.next": store.next(thread),
    "channels.sessionOf": store.sessionOf({ ...thread, user_id }),
    "channels.handled": Effect.flatMap(
      replyJob(thread),
      (job) => store.handled({ ...arrival, seq: 1 }, { at: 1, session, reply: { row: row(), job } })
    ),
    "channels.reply": Effect.flatMap(replyJob(thread), (job) => store.reply({ row: row(), job })),
    "channels.nextReply": store.nextReply(thread),
    "channels.posted": store.posted("reply-1", []),
    "channels.written": store.written("reply-1", { at: 1, error: null })
  }
})

export const stores: CheckedStores = {
  history: { channels: ["tables"] },
  tables: ["svc_channel_events", "svc_channel_replies", "svc_channel_sessions"],
  calls,
  fill
}
