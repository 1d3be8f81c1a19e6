// Channels: platforms on which components answer where people write.
import type * as Channel from "@svc-runtime/channels/Channel"
import type { DeclaredOption } from "../declarations/DeclaredOption.ts"
import * as Feature from "../Feature.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import * as ChannelOption from "./ChannelOption.ts"
import * as Endpoints from "./ChannelsApi.ts"
import { channelSettings } from "./ChannelSettings.ts"
import { ChannelStore } from "./ChannelStore.ts"
import { channels as migrations } from "./migrations.ts"
import { StoredChannelStore } from "./StoredChannelStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly channels: typeof ChannelStore
    readonly channelLinks: typeof ChannelLinkStore
    readonly storedChannels: typeof StoredChannelStore
  }
}

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** Platforms on which components answer, such as Slack. */
    readonly channels?: ReadonlyArray<Channel.Channel> | undefined
  }
}

const declared: DeclaredOption = {
  option: "channels",
  check: ({ channels = [] }) => ChannelOption.check(channels)
}

export const channels = Feature.make({
  name: "channels",
  groups: [Endpoints.Channels],
  settings: channelSettings,
  declared,
  stores: { channels: ChannelStore, channelLinks: ChannelLinkStore, storedChannels: StoredChannelStore },
  inMemory: () => import("./memoryStores.ts"),
  migrations,
  load: () => import("./live.ts")
})
