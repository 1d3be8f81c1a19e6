import * as MemoryStoredChannelStore from "../MemoryStoredChannelStore.ts"
import * as StoredChannelStoreSuite from "./StoredChannelStoreSuite.ts"

StoredChannelStoreSuite.suite("in memory", MemoryStoredChannelStore.layer)
