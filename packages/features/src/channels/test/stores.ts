// The store of channels, for the tests that call all stores.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { pauseJob, replyJob, threadJob } from "../ChannelJobs.ts"
import { ChannelLinkStore } from "../ChannelLinkStore.ts"
import { ChannelStore } from "../ChannelStore.ts"
import { StoredChannelStore } from "../StoredChannelStore.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"
import * as StoredChannelStoreSuite from "./StoredChannelStoreSuite.ts"

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
    insert into svc_channel_errors (channel, kind, message, at)
    select 'channel-' || number, 'post', 'Error', 1 from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_channel_sessions (channel, thread, user_id, session_id, sender, place, is_direct, updated_at)
    select 'channel-' || number % 10, 'thread-' || number, 'user-' || number % 100, 'session-' || number,
      'sender-' || number, '{}', true, 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_channel_replies (
      id, channel, thread, cause, place, is_direct, posts, prompt_id, created_at, written_at, decided_at
    )
    select 'reply-' || number, 'channel-' || number % 10, 'thread-' || number % 100, 'cause-' || number, '{}', true, '[]', 'prompt-' || number, 1,
      case when number % 10 = 0 then null else 1 end, case when number % 10 = 1 then null else 1 end
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_channel_links (id, channel, sender, user_id, scopes, created_at)
    select 'link-' || number, 'channel-' || number % 10, 'sender-' || number, 'user-' || number % 100, '[]', 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_channels (
      id, revision, platform, component_kind, component_id, access, when_busy, settings, secrets, secret_names, created_at
    )
    select 'channel-' || number, '1', 'slack', 'agent', 'desk', '{"type":"linked"}', 'queue', '{}', 'a', '{token}', 1
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_channel_codes (channel, sender, hash, expires_at)
    select 'channel-' || number % 10, 'sender-' || number, 'hash-' || number, number
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
  const pending = { question: "q", answers: [], choices: [], text: "", after: 0 }
  const [links, stored] = [yield* ChannelLinkStore, yield* StoredChannelStore]
  const page = { page: 1, limit: 1 }
  const linking = { channel, sender: "sender-1", name: null }
  return {
    "channelLinks.find": links.find(channel, "sender-1"),
    "channelLinks.ofUser": links.ofUser(channel, user_id),
    "channelLinks.putCode": links.putCode({ ...linking, hash: newId("hash"), expires_at: 2 }, 1),
    "channelLinks.whose": links.whose("hash-1", 1),
    "channelLinks.link": links.link("hash-1", { id: newId("link"), user_id, scopes: [], created_at: 1 }),
    "channelLinks.list": links.list(Owner.user(user_id), page),
    "channelLinks.list, of all": links.list(Owner.anyone, page),
    "channelLinks.remove": links.remove("link-1", Owner.user(user_id)),
    "channelLinks.removeOf": links.removeOf(user_id),
    "channels.accept": Effect.flatMap(
      threadJob(thread),
      (job) => store.accept([arrival], { at: 1, room: ChannelStoreSuite.room, jobs: [job] })
    ),
    "channels.next": store.next(thread),
    "channels.sessionOf": store.sessionOf({ ...thread, user_id }),
    "channels.handled": Effect.flatMap(
      replyJob(row()),
      (job) =>
        store.handled({ ...arrival, seq: 1 }, {
          at: 1,
          session,
          decided: "reply-1",
          asks: { id: "reply-2", pending },
          replies: [{ row: row(), job }]
        })
    ),
    "channels.reply": Effect.flatMap(replyJob(row()), (job) => store.reply({ row: row(), job })),
    "channels.send": Effect.flatMap(replyJob(row()), (job) => store.send({ row: row(), job }, 10)),
    "channels.sent": store.sent(channel, "reply-1"),
    "channels.placeIn": store.placeIn(thread, Owner.user(user_id)),
    "channels.placeIn, of all": store.placeIn(thread, Owner.anyone),
    "channels.directPlaceOf": store.directPlaceOf(channel, "sender-1", user_id),
    "channels.placeOf": store.placeOf(session.session_id),
    "channels.health": store.health(channel),
    "channels.failed": store.failed(channel, { kind: "post", message: "Error", at: 1 }),
    "channels.nextReply": store.nextReply({ ...thread, lane: "runs" }),
    "channels.posted": store.posted("reply-1", []),
    "channels.decided": Effect.flatMap(
      replyJob(row()),
      (job) => store.decided("reply-1", { at: 1, replies: [{ row: row(), job }] })
    ),
    "channels.pending": Effect.flatMap(
      pauseJob({ ...thread, run_id: arrival.run_id }),
      (job) => store.pending("reply-1", pending, job)
    ),
    "channels.asking": store.asking(channel, "p"),
    "channels.askingIn": store.askingIn(thread),
    "storedChannels.create": stored.create(StoredChannelStoreSuite.channel(), 10),
    "storedChannels.find": stored.find("channel-1"),
    "storedChannels.all": stored.all(),
    "storedChannels.replace": stored.replace(StoredChannelStoreSuite.channel({ id: "channel-1" }), "1", true),
    "storedChannels.remove": stored.remove("channel-1"),
    "storedChannels.oldSecrets": stored.oldSecrets("sealed:1:key:", 0),
    "storedChannels.replaceSecrets": stored.replaceSecrets({ seq: 1, row: "a", secrets: ["a"] }, ["b"]),
    "channels.written": store.written("reply-1", { at: 1, error: null })
  }
})

export const stores: CheckedStores = {
  history: { channels: ["tables", "stored"] },
  tables: [
    "svc_channel_codes",
    "svc_channel_errors",
    "svc_channel_events",
    "svc_channel_links",
    "svc_channel_replies",
    "svc_channel_sessions",
    "svc_channels"
  ],
  calls,
  fill,
  ofOneRow: ["channels.health"],
  unbounded: {
    "channelLinks.list, of all": "counts the links of all users, for admins",
    "storedChannels.all": "reads all channels, which are few",
    "storedChannels.create": "counts all channels, which are few",
    "storedChannels.oldSecrets": "reads all channels, which are few"
  }
}
