// The encodings of a form: how a body becomes fields and files.
import { Errors } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Limits } from "../Settings.ts"
import type { Content } from "./FormContent.ts"
import * as Multipart from "./Multipart.ts"
import * as UrlEncoded from "./UrlEncoded.ts"

/** The time to read a form grows with its fields, whatever their size. */
const maxFields = 20_000

const tooManyFields = () => Errors.payloadTooLarge(`The form has more than ${maxFields} fields`)

const ampersand = "&".charCodeAt(0)

const hasTooManyFields = (body: Uint8Array): boolean => {
  let [separators, at] = [0, body.indexOf(ampersand)]
  for (; at !== -1 && separators < maxFields; separators++) at = body.indexOf(ampersand, at + 1)
  return separators === maxFields
}

const parseUrlEncoded = (body: Uint8Array): Content | Errors.PayloadTooLarge => {
  if (hasTooManyFields(body)) return tooManyFields()
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of UrlEncoded.parse(body)) fields[name] = value
  return { fields, files: [] }
}

const invalid = (msg: string, type: string) => Errors.invalid([{ loc: ["body"], msg, type }])

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Values other than strings are written as a form has them. Null means absent. */
export const fieldsOf = (value: Json.Object): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, given] of Object.entries(value)) {
    if (given !== null) fields[name] = typeof given === "string" ? given : JSON.stringify(given)
  }
  return fields
}

const parseJson = (body: Uint8Array): Content | Errors.Invalid | Errors.PayloadTooLarge => {
  const parsed = decodeJson(new TextDecoder().decode(body))
  if (Option.isNone(parsed)) return invalid("JSON decode error", "json_invalid")
  const value = parsed.value as Json.Value
  if (!Json.isShallow(value)) return invalid(Json.tooDeep, "json_too_deep")
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid("Input should be a valid object", "dict_type")
  }
  if (Object.keys(value).length > maxFields) return tooManyFields()
  return { fields: fieldsOf(value as Json.Object), files: [] }
}

interface Encoding {
  readonly limit: keyof Pick<Limits, "formBody" | "jsonBody">
  readonly setting: string
  readonly parse: (
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    limit: number
  ) => Content | Errors.BadRequest | Errors.Invalid | Errors.PayloadTooLarge
}

export const form = { limit: "formBody", setting: "MAX_FORM_BYTES" } as const

const encodings: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ["multipart/form-data", { ...form, parse: Multipart.parse }],
  ["application/x-www-form-urlencoded", { ...form, parse: parseUrlEncoded }],
  ["application/json", { limit: "jsonBody", setting: "MAX_JSON_BYTES", parse: parseJson }]
])

export const encodingOf = (request: HttpServerRequest.HttpServerRequest): Encoding | "none" | undefined => {
  const type = request.headers["content-type"]
  if (type === undefined) return "none"
  return encodings.get((type.split(";")[0] ?? "").trim().toLowerCase())
}
