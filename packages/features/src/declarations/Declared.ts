// What handlers ask about resources that can be declared in code. A service without declarations has none.
import { Errors } from "@svc-runtime/api"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Option } from "effect"
import type * as Declaration from "./Declaration.ts"
import { DeclarationStore } from "./DeclarationStore.ts"

const none: Effect.Effect<ReadonlySet<string>> = Effect.succeed(new Set())

export interface Declared {
  /** The ids of what the code declares. */
  readonly ids: Effect.Effect<ReadonlySet<string>, StorageUnavailable>
  /** A response with the field `declared`. */
  readonly marked: <Row extends { readonly id: string }>(
    row: Row
  ) => Effect.Effect<Row & { readonly declared: boolean }, StorageUnavailable>
  readonly markedAll: <Row extends { readonly id: string }>(
    rows: ReadonlyArray<Row>
  ) => Effect.Effect<ReadonlyArray<Row & { readonly declared: boolean }>, StorageUnavailable>
  /** A request must not change or remove what the code declares. */
  readonly refuse: (id: string) => Effect.Effect<void, Errors.Conflict | StorageUnavailable>
}

export const of = Effect.fnUntraced(function*(kind: Declaration.KindName, label: string) {
  const store = yield* Effect.serviceOption(DeclarationStore)
  const ids = Option.match(store, { onNone: () => none, onSome: (store) => store.ids(kind) })
  const declared: Declared = {
    ids,
    marked: (row) => Effect.map(ids, (known) => ({ ...row, declared: known.has(row.id) })),
    markedAll: (rows) =>
      rows.length === 0
        ? Effect.succeed([])
        : Effect.map(ids, (known) => rows.map((row) => ({ ...row, declared: known.has(row.id) }))),
    refuse: (id) =>
      Effect.flatMap(ids, (known) =>
        known.has(id)
          ? Effect.fail(Errors.conflict(`The ${label} is declared in the code of the service. Change it there`))
          : Effect.void)
  }
  return declared
})
