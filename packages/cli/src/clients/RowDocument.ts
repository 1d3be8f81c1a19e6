// A row about one client as a part of a document: its stable name, its status, and every key that rows can have.
import type { Schema } from "effect"

interface Row {
  readonly client: string
  readonly name: string
  readonly status: string
  readonly error: string | null
}

/** `empty` has the keys that are null where they do not apply. The display name is for people. */
export const rowDocument = <A extends Row>(
  { client, error, name: _, status, ...row }: A,
  empty: { readonly [key: string]: null }
): Schema.Json => ({ client, status, error, ...empty, ...row as { readonly [key: string]: Schema.Json } })
