// JSON values of the OpenAPI document. They can be changed, unlike those of `@svc-runtime/domain/Json`.
export type Json = string | number | boolean | null | Array<Json> | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
