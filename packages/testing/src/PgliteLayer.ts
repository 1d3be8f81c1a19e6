// An embedded database in memory for each time the layer is built, in about a third of a second.
import * as Pglite from "@svc/storage/Pglite"

/** Provides `SqlClient` and `PgClient`. */
export const layer = Pglite.layerMemory
