// What every database contains: the tables of the engine and of accounts, and the stores of the engine on them.
import { Layer } from "effect"
import { accounts } from "./migrations/accounts.ts"
import { engine } from "./migrations/engine.ts"
import { media } from "./migrations/media.ts"
import type { MigrationSet } from "./sql/MigrationSet.ts"
import * as SqlApprovalStore from "./SqlApprovalStore.ts"
import * as SqlIdempotencyStore from "./SqlIdempotencyStore.ts"
import * as SqlJobStore from "./SqlJobStore.ts"
import * as SqlMediaStore from "./SqlMediaStore.ts"
import * as SqlMemorySettingsStore from "./SqlMemorySettingsStore.ts"
import * as SqlRetentionStore from "./SqlRetentionStore.ts"
import * as SqlRunStore from "./SqlRunStore.ts"
import * as SqlSessionStore from "./SqlSessionStore.ts"
import * as SqlUsageStore from "./SqlUsageStore.ts"

/** The sets of features come after them: they may refer to these tables, and not to those of each other. */
export const migrationSets: ReadonlyArray<MigrationSet> = [engine, accounts, media]

export const stores = Layer.mergeAll(
  SqlSessionStore.layer,
  SqlRunStore.layer,
  SqlApprovalStore.layer,
  SqlIdempotencyStore.layer,
  SqlRetentionStore.layer,
  SqlJobStore.layer,
  SqlMediaStore.layer,
  SqlMemorySettingsStore.layer,
  SqlUsageStore.layer
)
