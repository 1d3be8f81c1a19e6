import * as MemoryChannelLinkStore from "../MemoryChannelLinkStore.ts"
import * as ChannelLinkStoreSuite from "./ChannelLinkStoreSuite.ts"

ChannelLinkStoreSuite.suite("in memory", MemoryChannelLinkStore.layer)
