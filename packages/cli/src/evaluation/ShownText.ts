// Reports show the beginning of texts of the service, without the credential of this command. Thousands of
// long answers do not fit into memory, nor into the file that CI reads.
import { Redacted, type Schema } from "effect"
import type { Access } from "../calls/Calls.ts"

const maxLength = 4096

/** Characters of all texts of a report. */
const maxTotalLength = 16_000_000

/** Characters of one text among this many. */
export const lengthAmong = (texts: number): number =>
  Math.max(100, Math.min(maxLength, Math.floor(maxTotalLength / texts)))

export const of = (text: string, { token }: Access, length: number): string => {
  const secret = token === undefined ? "" : Redacted.value(token)
  const shown = secret === "" ? text : text.replaceAll(secret, "[redacted]")
  const rest = shown.length - length
  return rest <= 0 ? shown : `${shown.slice(0, length)}… (${rest} more characters)`.toWellFormed()
}

/** The text of a value that is too long, or that has the credential in it. */
export const ofValue = (value: Schema.Json, access: Access, length: number): Schema.Json => {
  if (typeof value === "string") return of(value, access, length)
  const text = JSON.stringify(value)
  const shown = of(text, access, length)
  return shown === text ? value : shown
}
