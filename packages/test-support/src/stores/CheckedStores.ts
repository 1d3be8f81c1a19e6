// What the tests that call all stores know of those of a feature. It is a second opinion about its statements and
// migrations, and is in `test/stores.ts` of the feature.
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** By the name of the store and of the method, and what the call has of its own behind a comma. */
export type Calls = Readonly<Record<string, Effect.Effect<unknown, { readonly _tag: string }>>>

export interface CheckedStores {
  /** The migrations that were shipped by their sets, in the order of their versions. */
  readonly history: Readonly<Record<string, ReadonlyArray<string>>>
  readonly tables: ReadonlyArray<string>
  /** A call of every method. */
  readonly calls: Effect.Effect<Calls, unknown, StoreServices>
  /** The methods that read or change one row for a request: a row that they cannot read is a defect. */
  readonly ofOneRow?: ReadonlyArray<string>
  /** Writes as many rows into each table, for plans of statements. */
  readonly fill?: (rows: number) => Effect.Effect<void, unknown, SqlClient.SqlClient>
  /** Calls of other statements than those of `calls`, for plans. */
  readonly planned?: Effect.Effect<Calls, unknown, StoreServices>
  /** The calls that may read a table as a whole, each with the reason. */
  readonly unbounded?: Readonly<Record<string, string>>
  /** Tables and indexes that stay small, or that `fill` leaves empty. */
  readonly small?: ReadonlyArray<string>
}
