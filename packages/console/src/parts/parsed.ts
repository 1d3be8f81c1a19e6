import type { JsonObject } from "@svc-runtime/client"

/** The value of a JSON text. Undefined: it is no JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON object of a text. Undefined: it is none. */
export const jsonObject = (text: string): JsonObject | undefined => {
  const value = parsed(text)
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonObject : undefined
}
