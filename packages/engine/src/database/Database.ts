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

/**
 * The names that `/config` shows and the parameter `table` accepts, without those of features that the service lacks.
 * The store of a domain can have others.
 */
const tablesOf = (stores: { readonly [name: string]: unknown }): TableNames => ({
  sessions: "svc_sessions",
  ...("memories" in stores ? { memories: "svc_memories" } : {}),
  ...("learnings" in stores ? { learnings: "svc_learnings" } : {}),
  ...("metrics" in stores ? { metrics: "svc_metrics" } : {}),
  ...("evalRuns" in stores ? { evals: "svc_eval_runs" } : {})
})

/** A database of the given stores. */
export const makeDatabase = (id: string, context: Context.Context<Stores.StoreServices>): Database => {
  const stores = Stores.fromContext(context)
  return { id: Ids.DatabaseId.make(id), tables: tablesOf({ ...stores }), ...stores }
}
