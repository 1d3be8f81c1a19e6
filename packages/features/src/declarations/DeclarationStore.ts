// What is declared in code and stored, and which nodes declare what. The newest declarations whose nodes have not all
// stopped are in force. Silence is no stop: a silent node counts until a node that has started since has looked for it
// several times.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect } from "effect"
import type * as Declaration from "./Declaration.ts"

/** So often a node has to look before the nodes that have been silent since its start count as stopped. */
export const enoughLooks = 5

export interface Declaring {
  readonly node: string
  /** The hash of all of its declarations. */
  readonly hash: string
  /** No other node uses the database, so no other one counts. */
  readonly isAlone: boolean
}

export interface Standing {
  /** All nodes with newer declarations have stopped. Declarations are as new as the first node that had them. */
  readonly isNewest: boolean
  /** They are in force. */
  readonly isApplied: boolean
}

export class DeclarationStore extends Context.Service<DeclarationStore, {
  /** Whether any node has ever declared something. */
  readonly isUsed: Effect.Effect<boolean, StorageUnavailable>
  /** Says that the node lives, and what it declares: one look at the others. */
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
