// The API's document as a value.
export type Json = string | number | boolean | null | Array<Json> | Record

export interface Record {
  [key: string]: Json
}

export const isRecord = (value: Json | undefined): value is Record =>
  typeof value === "object" && value !== null && !Array.isArray(value)
