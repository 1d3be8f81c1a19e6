// What the feature does in a service that has it.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import type * as Channel from "@svc-runtime/channels/Channel"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as LoadedRuns from "../media/LoadedRuns.ts"
import * as SecretRows from "../secrets/SecretRows.ts"
import * as ChannelLinks from "./ChannelLinks.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import * as ChannelMessages from "./ChannelMessages.ts"
import type { ChannelLimits } from "./ChannelSettings.ts"
import { handlers } from "./ChannelsHandlers.ts"
import { ChannelStore } from "./ChannelStore.ts"
import * as ConnectionJob from "./ConnectionJob.ts"
import { live as liveChannel, LiveChannels } from "./LiveChannels.ts"
import * as MessageJob from "./MessageJob.ts"
import * as PauseJob from "./PauseJob.ts"
import * as ReplyJob from "./ReplyJob.ts"
import * as SessionMarks from "./SessionMarks.ts"
import * as SqlChannelLinkStore from "./SqlChannelLinkStore.ts"
import * as SqlChannelStore from "./SqlChannelStore.ts"
import * as SqlStoredChannelStore from "./SqlStoredChannelStore.ts"
import * as StartedRuns from "./StartedRuns.ts"
import * as StoredChannels from "./StoredChannels.ts"
import { StoredChannelStore } from "./StoredChannelStore.ts"
import * as ThreadJob from "./ThreadJob.ts"

/** The files of answers are in the events that replies show. */
const bound = Layer.effectDiscard(Effect.gen(function*() {
  const { bind, stop } = yield* LiveChannels
  yield* Effect.addFinalizer(() => stop)
  const { protocols: { publicUrl } } = yield* ServerSettings
  const [{ personOf: linked }, { send }] = [yield* ChannelLinks.ChannelLinks, yield* ChannelMessages.ChannelMessages]
  const { placeOf } = yield* ChannelStore
  const { own: { jobs: { signal } } } = yield* ServedDatabases
  yield* bind({
    runs: yield* RunService,
    linked,
    messages: { placeOf, send },
    mark: yield* SessionMarks.make,
    signal,
    publicUrl
  })
})).pipe(Layer.provide(LoadedRuns.layer))

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
      prune: SqlChannelStore.prune,
      age: ({ retention }: ChannelLimits) => retention,
      removed: "event(s) and replies of channels removed"
    }
  },
  handlers,
  service: (limits: ChannelLimits, { channels = [] }: Feature.Service) =>
    Layer.provideMerge(StartedRuns.layer, served(limits, channels)),
  workers: (_, { isOwn }) =>
    Layer.effectDiscard(Effect.andThen(PauseJob.hastenOnResumes(isOwn), isOwn ? ConnectionJob.plan : Effect.void)),
  jobs: (_, { isOwn }) =>
    Effect.all([
      Effect.all([
        MessageJob.kind,
        ...(isOwn ? [ThreadJob.kind, ReplyJob.kind, PauseJob.kind, ConnectionJob.kind] : [])
      ]),
      isOwn ? secretJobs : Effect.succeed([])
    ]).pipe(Effect.map((kinds) => kinds.flat())),
  requests: () => requests,
  endsWithAccount: () =>
    Effect.map(ChannelLinkStore, ({ removeOf }) => ({
      what: "link(s) of channels removed",
      end: ({ user_id }) => removeOf(user_id)
    }))
})
