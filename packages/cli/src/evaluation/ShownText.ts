// What a report shows of texts of the service: their beginning, without the credential of this command. Thousands of
// long answers do not fit into memory.
import type { Access } from "@svc/client/Calls"
import { Redacted, type Schema } from "effect"

const longest = 4096

export const of = (text: string, { token }: Access): string => {
  const secret = token === undefined ? "" : Redacted.value(token)
  const shown = secret === "" ? text : text.replaceAll(secret, "[redacted]")
  const rest = shown.length - longest
  return rest <= 0 ? shown : `${shown.slice(0, longest)}… (${rest} more characters)`.toWellFormed()
}

/** The text of a value that is too long, or that has the credential in it. */
export const ofValue = (value: Schema.Json, access: Access): Schema.Json => {
  if (typeof value === "string") return of(value, access)
  const text = JSON.stringify(value)
  const shown = of(text, access)
  return shown === text ? value : shown
}
