// The stores of channels in memory, for services of tests.
import { Layer } from "effect"
import * as MemoryChannelLinkStore from "./MemoryChannelLinkStore.ts"
import * as MemoryChannelStore from "./MemoryChannelStore.ts"
import * as MemoryStoredChannelStore from "./MemoryStoredChannelStore.ts"

export const layer = Layer.mergeAll(
  MemoryChannelStore.layer,
  MemoryChannelLinkStore.layer,
  MemoryStoredChannelStore.layer
)
