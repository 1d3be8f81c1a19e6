// The stores of the service's own database, for handlers: a statement fails if the database does not reply for some
// seconds.
import * as Stores from "@svc-runtime/engine/database/Stores"
import { Effect, Layer } from "effect"
import { ServedDatabases } from "./ServedDatabases.ts"

export const layer: Layer.Layer<Stores.ServedServices, never, ServedDatabases | Stores.StoreNames> = Layer
  .effectContext(
    Effect.gen(function*() {
      const names = yield* Effect.context<Stores.StoreNames>()
      const { own } = yield* ServedDatabases
      return Stores.toContext(own.database, names)
    })
  )
