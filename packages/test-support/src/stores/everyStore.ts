// Runs a suite on every implementation that it describes.
import type { StoreNames, StoreServices } from "@svc-runtime/engine/database/Stores"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import type { SqlServices } from "@svc-runtime/postgres/ShortStatements"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Layer } from "effect"
import { describe } from "vitest"
import * as PgliteLayer from "../PgliteLayer.ts"
import * as PostgresLayer from "../PostgresLayer.ts"
import * as Tier from "../Tier.ts"

/** The fast tier runs one of so many tests. By default it runs all. */
interface Steps {
  readonly pglite?: number
  readonly postgres?: number
}

type Suite<Services> = (name: string, services: Layer.Layer<Services, unknown>) => void

const thinned = (name: string, step: number, suite: (name: string) => void) =>
  describe(name, () => {
    if (step > 1) Tier.oneIn(step)
    suite(name)
  })

/** Calls `suite` for an embedded database and for one on a PostgreSQL server. */
export const everyDatabase = (suite: Suite<SqlServices>, { pglite = 1, postgres = 1 }: Steps = {}): void => {
  thinned("on PGlite", pglite, (name) => suite(name, PgliteLayer.layer))
  thinned("on PostgreSQL", postgres, (name) => suite(name, PostgresLayer.layer))
}

/** Calls `suite` for the stores in memory and for those of each database. */
export const everyStore = (
  suite: Suite<StoreNames | StoreServices>,
  { memory = 1, ...steps }: Steps & { readonly memory?: number } = {}
): void => {
  thinned("in memory", memory, (name) => suite(name, InMemory.layer))
  everyDatabase((name, database) => suite(name, Layer.provide(SqlStores.layer, database)), steps)
}
