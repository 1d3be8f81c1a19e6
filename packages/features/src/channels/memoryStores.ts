// The stores of channels in memory, for services of tests.
import { Layer } from "effect"
import * as MemoryChannelLinkStore from "./MemoryChannelLinkStore.ts"
import * as MemoryChannelStore from "./MemoryChannelStore.ts"

export const layer = Layer.merge(MemoryChannelStore.layer, MemoryChannelLinkStore.layer)
