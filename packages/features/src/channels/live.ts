// What the feature does in a service that has it.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import type * as Channel from "@svc-runtime/channels/Channel"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as Feature from "../Feature.ts"
import * as SecretRows from "../secrets/SecretRows.ts"
import * as ChannelLinks from "./ChannelLinks.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import * as ChannelMessages from "./ChannelMessages.ts"
import type { ChannelLimits } from "./ChannelSettings.ts"
import { handlers } from "./ChannelsHandlers.ts"
import { ChannelStore } from "./ChannelStore.ts"
import { live as liveChannel, LiveChannels } from "./LiveChannels.ts"
import * as MessageJob from "./MessageJob.ts"
import * as ReplyJob from "./ReplyJob.ts"
import * as SqlChannelLinkStore from "./SqlChannelLinkStore.ts"
import * as SqlChannelStore from "./SqlChannelStore.ts"
import * as SqlStoredChannelStore from "./SqlStoredChannelStore.ts"
import * as StartedRuns from "./StartedRuns.ts"
import * as StoredChannels from "./StoredChannels.ts"
import { StoredChannelStore } from "./StoredChannelStore.ts"
import * as ThreadJob from "./ThreadJob.ts"

/** The maximum number of rows that one statement removes. */
const maxRows = 500

/** Removes events that were handled, replies that were written, and sessions of quiet conversations. */
const removeExpired = (sql: SqlClient.SqlClient) => (seconds: number) =>
  sql`
    with old as (select extract(epoch from now())::bigint - ${seconds}::bigint as at), events as (
      delete from svc_channel_events where seq = any(array(
        select seq from svc_channel_events where handled_at is not null and handled_at <= (select at from old)
        order by handled_at limit ${maxRows} for update skip locked
      )) returning 1
    ), replies as (
      delete from svc_channel_replies where seq = any(array(
        select seq from svc_channel_replies where written_at is not null and written_at <= (select at from old)
        order by written_at limit ${maxRows} for update skip locked
      )) returning 1
    )
    select ((select count(*) from events) + (select count(*) from replies))::int as count`

const bound = Layer.effectDiscard(Effect.gen(function*() {
  const { bind } = yield* LiveChannels
  const { protocols: { publicUrl } } = yield* ServerSettings
  const [{ personOf: linked }, { send }] = [yield* ChannelLinks.ChannelLinks, yield* ChannelMessages.ChannelMessages]
  const { placeOf } = yield* ChannelStore
  const { own: { jobs: { signal } } } = yield* ServedDatabases
  yield* bind({ runs: yield* RunService, linked, messages: { placeOf, send }, signal, publicUrl })
}))

/** The channels of the code, and those of requests. */
const served = (limits: ChannelLimits, declared: ReadonlyArray<Channel.Channel>) =>
  Layer.unwrap(Effect.map(StoredChannels.make(liveChannel), (stored) => LiveChannels.layer(limits, declared, stored)))

const secretJobs = Effect.flatMap(StoredChannelStore, (store) => SecretRows.jobs("channel-secrets", store))

/** With the links of people, and with messages to them. */
const requests = Layer.provideMerge(bound, Layer.provideMerge(ChannelMessages.layer, ChannelLinks.layer))

export const live = Feature.live({
  stores: Layer.mergeAll(SqlChannelStore.layer, SqlChannelLinkStore.layer, SqlStoredChannelStore.layer),
  expiry: {
    channels: {
      prune: removeExpired,
      age: ({ retention }: ChannelLimits) => retention,
      removed: "event(s) and replies of channels removed"
    }
  },
  handlers,
  service: (limits: ChannelLimits, { channels = [] }: Feature.Service) =>
    Layer.provideMerge(StartedRuns.layer, served(limits, channels)),
  jobs: (_, { isOwn }) =>
    Effect.all([
      Effect.all([MessageJob.kind, ...(isOwn ? [ThreadJob.kind, ReplyJob.kind] : [])]),
      isOwn ? secretJobs : Effect.succeed([])
    ]).pipe(Effect.map((kinds) => kinds.flat())),
  requests: () => requests,
  endsWithAccount: () =>
    Effect.map(ChannelLinkStore, ({ removeOf }) => ({
      what: "link(s) of channels removed",
      end: ({ user_id }) => removeOf(user_id)
    }))
})
