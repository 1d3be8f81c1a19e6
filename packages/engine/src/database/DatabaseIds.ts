// The ids of all databases of a service. Some have knowledge only, and some may not reply.
import type * as Ids from "@svc-runtime/domain/Ids"
import { Context } from "effect"

/** The first is the service's own. */
export class DatabaseIds extends Context.Service<DatabaseIds, readonly [Ids.DatabaseId, ...Array<Ids.DatabaseId>]>()(
  "@svc-runtime/engine/database/DatabaseIds"
) {}
