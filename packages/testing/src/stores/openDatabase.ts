// Databases in memory.
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Stores from "@svc-runtime/engine/database/Stores"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import { Effect, Layer } from "effect"
import * as InMemory from "./InMemory.ts"

interface Options {
  /** Changes the stores before they are used. */
  readonly database?: ((database: Database) => Database) | undefined
}

/** A database in memory has no migrations. */
const schemaInMemory: Schemas.DatabaseSchema = {
  state: Effect.succeed({ applied: [], pending: [] }),
  plan: () => Effect.succeed([]),
  migrate: () => Effect.succeed([])
}

export const openDatabase = (id: string, { database = (same) => same }: Options) =>
  Layer.unwrap(Effect.gen(function*() {
    const built = yield* Layer.build(InMemory.layer)
    const opened = database(makeDatabase(id, built))
    yield* (yield* Schemas.Schemas).add(opened.id, schemaInMemory)
    return Layer.merge(Layer.succeedContext(Stores.toContext(opened, built)), Notifications.layerNone)
  }))
