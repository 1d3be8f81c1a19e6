import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as ChannelLinkStoreSuite from "./ChannelLinkStoreSuite.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"
import * as StoredChannelStoreSuite from "./StoredChannelStoreSuite.ts"

everyStore(ChannelLinkStoreSuite.suite, { postgres: 2 })
everyStore(ChannelStoreSuite.suite, { postgres: 2 })
everyStore(StoredChannelStoreSuite.suite)
