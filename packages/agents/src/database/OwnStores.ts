// The stores of the service's own database, for handlers: a statement fails if the database does not reply for some
// seconds.
import * as Stores from "@svc-runtime/engine/database/Stores"
import { Effect, Layer } from "effect"
import { ServedDatabases } from "./ServedDatabases.ts"

export const layer: Layer.Layer<Stores.ServedServices, never, ServedDatabases> = Layer.effectContext(
  Effect.map(ServedDatabases, ({ own }) => Stores.toContext(own.database))
)
