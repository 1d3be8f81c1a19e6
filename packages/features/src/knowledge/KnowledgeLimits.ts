// How much the stores of knowledge read and remove at once, and how much a user may upload.
import { count } from "@svc-runtime/http/config/ConfigReaders"
import type { Config as Env } from "effect"

/** Uploads of one isolated caller that wait for a node (USER_WAITING_UPLOADS). Others have no such limit. */
export const waitingUploads: Env.Config<number> = count("USER_WAITING_UPLOADS", 100)

/** The contents of which `ContentStore.metadataKeys` reads the keys, and how many keys it gives. */
export const keyLimits = { contents: 1000, keys: 500 } as const

/** The contents that one call of `ContentStore.failOrphaned` ends. */
export const orphanedAtOnce = 100

/** The files that one call of `ContentStore.filesOf` gives, and the folders that one of `dueFolders` gives. */
export const folderLimits = { files: 1000, due: 50 } as const

/** The contents that one call of `ContentStore.outdated` gives. */
export const embeddedAgainAtOnce = 100

/** How many dead chunks one call of `ChunkStore.prune` removes. */
export const prunedAtOnce = 1000

/** How many contents one call of `ContentStore.prune` removes, and one statement of the removal of a folder. */
export const contentsRemovedAtOnce = 500

/** The characters of a query whose words are searched for. More words do not make a search better. */
export const searchedLength = 8192
