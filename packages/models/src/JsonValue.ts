// Converts a value to JSON: what JSON leaves out is left out, and values without a JSON form become strings.
import type { JSONValue } from "@ai-sdk/provider"
import type { Schema } from "effect"

export const from = (value: unknown): JSONValue & Schema.Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "bigint":
      return value.toString()
    case "object":
      return value === null ? null : fromObject(value)
    default:
      return null
  }
}

const fromObject = (value: object): JSONValue & Schema.Json => {
  if (Array.isArray(value)) return value.map(from)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  const toJson: unknown = "toJSON" in value ? value.toJSON : undefined
  if (typeof toJson === "function") return from(toJson.call(value))
  const result: Record<string, JSONValue & Schema.Json> = {}
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined && typeof item !== "function" && typeof item !== "symbol") result[key] = from(item)
  }
  return result
}

/**
 * A value without halves of characters, which remain where a text was cut within one: strict providers refuse them as
 * invalid JSON. The same value if it has none.
 */
export const wellFormed = <A>(value: A): A => wellFormedOf(value) as A

const wellFormedOf = (value: unknown): unknown => {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed()
  if (Array.isArray(value)) {
    const items = value.map(wellFormedOf)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || value instanceof URL) return value
  const entries = Object.entries(value)
  const changed = entries.map(([key, item]) => [key.toWellFormed(), wellFormedOf(item)] as const)
  return changed.some(([key, item], index) => key !== entries[index]?.[0] || item !== entries[index]?.[1])
    ? Object.fromEntries(changed)
    : value
}
