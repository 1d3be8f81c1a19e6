// The header with a token in entries, which a client sends with every request.
import { Redacted } from "effect"
import { type Entries, isRecord } from "./text/EntryFormat.ts"

export const headerOf = (token: Redacted.Redacted): string => `Bearer ${Redacted.value(token)}`

/** Empty without a token. */
export const headersOf = (token: Redacted.Redacted | undefined): Entries | undefined =>
  token === undefined ? undefined : { Authorization: headerOf(token) }

export const tokenOf = (header: unknown): Redacted.Redacted | undefined => {
  if (typeof header !== "string") return undefined
  const token = header.replace(/^bearer\s+/i, "").trim()
  return token === "" || /^bearer$/i.test(token) ? undefined : Redacted.make(token)
}

/** The value of this key, by its exact spelling; undefined without headers. */
export const authorizationOf = (headers: unknown): unknown => isRecord(headers) ? headers["Authorization"] : undefined
