// One database of a service: its id, its tables and its stores.
import * as Ids from "@svc-runtime/domain/Ids"
import type { Context } from "effect"
import * as Stores from "./Stores.ts"

/** The names of the tables that a request can name, by what they hold. */
export type TableNames =
  & { readonly sessions: string }
  & Readonly<Partial<Record<"memories" | "learnings" | "metrics" | "evals", string>>>

/** A database, whether it replies or not. */
export interface DatabaseInfo {
  readonly id: Ids.DatabaseId
  readonly tables: TableNames
}

export interface Database extends DatabaseInfo, Stores.Stores {}

/** The names that `/config` shows and the parameter `table` accepts. The store of a domain can have others. */
export const defaultTables: TableNames = {
  sessions: "svc_sessions",
  memories: "svc_memories",
  learnings: "svc_learnings",
  metrics: "svc_metrics",
  evals: "svc_eval_runs"
}

/** A database of the given stores. */
export const makeDatabase = (id: string, context: Context.Context<Stores.StoreServices>): Database => ({
  id: Ids.DatabaseId.make(id),
  tables: defaultTables,
  ...Stores.fromContext(context)
})
