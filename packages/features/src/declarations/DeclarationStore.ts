// What is declared in code and stored, and which nodes live and declare what. The newest declarations of the nodes that
// live are in force: those of a node that starts later with older ones change nothing.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect } from "effect"
import type * as Declaration from "./Declaration.ts"

/** Seconds after which a node that says nothing counts as gone. */
export const silentAfter = 3600

export interface Declaring {
  readonly node: string
  /** The hash of all of its declarations. */
  readonly hash: string
  /** No other node uses the database, so no other one counts. */
  readonly isAlone: boolean
}

export interface Standing {
  /** No node that lives has newer declarations. They are as new as the first node that had them. */
  readonly isNewest: boolean
  /** They are in force. */
  readonly isApplied: boolean
}

export class DeclarationStore extends Context.Service<DeclarationStore, {
  /** Whether any node has ever declared something. */
  readonly isUsed: Effect.Effect<boolean, StorageUnavailable>
  /** Says that the node lives, and what it declares. */
  readonly declare: (declaring: Declaring) => Effect.Effect<Standing, StorageUnavailable>
  /** The node stops. */
  readonly leave: (node: string) => Effect.Effect<void, StorageUnavailable>
  /** One after the other on all nodes, as one transaction. */
  readonly exclusively: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /** Also what is declared no more. */
  readonly all: Effect.Effect<ReadonlyArray<Declaration.Stored>, StorageUnavailable>
  /** The ids of what is declared now. */
  readonly ids: (kind: Declaration.KindName) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
  readonly put: (declared: Declaration.Stored) => Effect.Effect<void, StorageUnavailable>
  readonly remove: (
    declared: Pick<Declaration.Stored, "kind" | "name">
  ) => Effect.Effect<void, StorageUnavailable>
  /** The declarations of this hash are in force now. */
  readonly applied: (hash: string) => Effect.Effect<void, StorageUnavailable>
}>()("@svc-runtime/features/declarations/DeclarationStore") {}
