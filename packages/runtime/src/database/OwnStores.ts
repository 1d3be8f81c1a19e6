// The stores of the service's own database, for handlers: a statement fails if the database does not reply for some
// seconds.
import { Effect, Layer } from "effect"
import { ServedDatabases } from "./ServedDatabases.ts"
import * as Stores from "./Stores.ts"

export const layer: Layer.Layer<Stores.StoreServices, never, ServedDatabases> = Layer.effectContext(
  Effect.map(ServedDatabases, ({ own }) => Stores.toContext(own.database))
)
