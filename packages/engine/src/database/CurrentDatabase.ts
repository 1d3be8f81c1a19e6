// The database that a statement is for. Log lines of its stores name it, and limits of such lines count for it alone.
import type * as Ids from "@svc-runtime/domain/Ids"
import { Context } from "effect"

/** Undefined for stores that belong to no served database. */
export const CurrentDatabase = Context.Reference<Ids.DatabaseId | undefined>(
  "@svc-runtime/engine/database/CurrentDatabase",
  {
    defaultValue: () => undefined
  }
)
