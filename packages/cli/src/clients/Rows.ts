// What the rows of `svc connect` and `svc disconnect` have in common: one row for each client.
import type { Schema } from "effect"
import type { Outcome } from "../Exit.ts"

interface Row {
  readonly client: string
  readonly name: string
  readonly status: string
  readonly error: string | null
}

/**
 * A row as a part of a document, without the display name. `empty` has the keys that are null where they do not apply.
 */
export const rowDocument = <A extends Row>(
  { client, error, name: _, status, ...row }: A,
  empty: { readonly [key: string]: null }
): Schema.Json => ({ client, status, error, ...empty, ...row as { readonly [key: string]: Schema.Json } })

export const label = (text: string, what: string): string => `  ${text.padEnd(15)}${what}`

/** Writes `~` for the home directory in paths. */
export const tilde = (home: string, text: string): string =>
  home.length < 2 ? text : text.replaceAll(`${home}/`, "~/").replaceAll(`${home}\\`, "~\\")

/** The result for several clients. Manual steps are not failures, and do not make up for one. */
export const endingOf = (statuses: ReadonlyArray<string>, isGood: (status: string) => boolean): Outcome => {
  if (statuses.every((status) => status === "manual" || isGood(status))) return "ok"
  return statuses.some(isGood) ? "partial" : "failed"
}
