// The version of a stored payload, a field beside those of the payload. Without it the version is 1. A node leaves
// payloads of a newer version to newer nodes, as it does with stored runs.
import * as Json from "@svc-runtime/domain/Json"

export const field = "payload_version"

export const of = (stored: Json.Value): number => {
  const version = Json.isObject(stored) ? stored[field] : undefined
  return typeof version === "number" ? version : 1
}

/** Undefined: the payload has a field of this name, or is no object and cannot have one. */
export const withVersion = (payload: Json.Value, version: number): Json.Value | undefined => {
  if (Json.isObject(payload) && field in payload) return undefined
  if (version === 1) return payload
  return Json.isObject(payload) ? { ...payload, [field]: version } : undefined
}

export const removed = (stored: Json.Value): Json.Value => {
  if (!Json.isObject(stored) || !(field in stored)) return stored
  const { [field]: _, ...payload } = stored
  return payload
}
