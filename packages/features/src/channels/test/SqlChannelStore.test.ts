import { assert, layer } from "@effect/vitest"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { replyJob, threadJob } from "../ChannelJobs.ts"
import { ChannelStore } from "../ChannelStore.ts"
import * as SqlChannelStore from "../SqlChannelStore.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"

const stores = Layer.mergeAll(SqlChannelStore.layer, SqlJobStore.layer).pipe(
  Layer.provide(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

ChannelStoreSuite.suite("on PGlite", stores)

layer(stores, { excludeTestServices: true })("SqlChannelStore", (it) => {
  it.effect("an event and a reply that cannot be read are stored as failed, and those behind them follow", () =>
    Effect.gen(function*() {
      const [store, sql] = [yield* ChannelStore, yield* SqlClient.SqlClient]
      const channel = newId("channel")
      const thread = { channel, thread: "T1" }
      const events = [1, 2].map(() => ChannelStoreSuite.arrival(channel))
      yield* store.accept(events, { at: 1, room: ChannelStoreSuite.room, jobs: [yield* threadJob(thread)] })
      const replies = [1, 2].map(() => ChannelStoreSuite.reply(channel))
      for (const row of replies) yield* store.reply({ row, job: yield* replyJob(row) })
      yield* sql`update svc_channel_events set event = '{"type": "secret"}' where event_id = ${events[0]!.event.id}`
      yield* sql`update svc_channel_replies set posts = '"secret"' where id = ${replies[0]!.id}`
      assert.strictEqual(Option.getOrThrow(yield* store.next(thread)).event.id, events[1]!.event.id)
      assert.strictEqual(Option.getOrThrow(yield* store.nextReply({ ...thread, lane: "texts" })).id, replies[1]!.id)
      const failed = yield* sql`
        select error from svc_channel_events where channel = ${channel} and handled_at is not null
        union all select error from svc_channel_replies where channel = ${channel} and written_at is not null`
      assert.deepStrictEqual<unknown>(failed, [{ error: "It cannot be read" }, { error: "It cannot be read" }])
    }))
})
