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
