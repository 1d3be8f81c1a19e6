// Databases in memory.
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Stores from "@svc-runtime/engine/database/Stores"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as Features from "@svc-runtime/features/features"
import { Context, Effect, Layer } from "effect"
import * as InMemory from "./InMemory.ts"

interface Options {
  /** The database has the stores of these features only. All features, when left out. */
  readonly features?: Parameters<typeof Features.storeNames>[0] | undefined
  /** Changes the stores before they are used. */
  readonly database?: ((database: Database) => Database) | undefined
}

/** A database in memory has no migrations. */
const schemaInMemory: Schemas.DatabaseSchema = {
  state: Effect.succeed({ applied: [], pending: [] }),
  plan: () => Effect.succeed([]),
  migrate: () => Effect.succeed([])
}

export const openDatabase = (id: string, { database = (same) => same, features = Features.features }: Options) =>
  Layer.unwrap(Effect.gen(function*() {
    const built = Context.add(
      yield* Layer.build(InMemory.layer),
      Stores.StoreNames,
      Features.storeNames(features)
    )
    const opened = database(makeDatabase(id, built))
    yield* (yield* Schemas.Schemas).add(opened.id, schemaInMemory)
    return Layer.merge(Layer.succeedContext(Stores.toContext(opened, built)), Notifications.layerNone)
  }))
