// The tools that a server lists, read with limits: what cannot be used is left out and reported, and the rest works.
import type { Client } from "@modelcontextprotocol/client"
import * as Json from "@svc-runtime/domain/Json"
import * as ToolName from "@svc-runtime/domain/ToolName"
import * as RootObject from "@svc-runtime/engine/schema/RootObject"
import { Effect, Option, Predicate, Result, Schema } from "effect"
import * as McpFailure from "./McpFailure.ts"
import type { McpServer } from "./McpServer.ts"
import { printable } from "./printable.ts"

// Whether what a server sends as a schema is one. Providers refuse all requests that have a schema which is none.

const types = ["array", "boolean", "integer", "null", "number", "object", "string"]

const maxBytes = 64 * 1024

const isText = (value: unknown): boolean => typeof value === "string"
const isList = (fits: (item: unknown) => boolean) => (value: unknown): boolean =>
  Array.isArray(value) && value.every(fits)
const isType = (value: unknown): boolean => typeof value === "string" && types.includes(value)
const isSchemas = isList(isSchema)
const isMap = (value: unknown): boolean => Predicate.isObject(value) && Object.values(value).every(isSchema)

/** The keywords whose wrong values make a schema unreadable. */
const keywords: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => isType(value) || isList(isType)(value),
  properties: isMap,
  patternProperties: isMap,
  $defs: isMap,
  definitions: isMap,
  items: (value) => isSchema(value) || isSchemas(value),
  prefixItems: isSchemas,
  additionalProperties: isSchema,
  anyOf: isSchemas,
  oneOf: isSchemas,
  allOf: isSchemas,
  not: isSchema,
  required: isList(isText),
  enum: Array.isArray,
  description: isText,
  title: isText,
  $ref: isText,
  pattern: isText
}

function isSchema(value: unknown): boolean {
  if (typeof value === "boolean") return true
  if (!Predicate.isObject(value) || Array.isArray(value)) return false
  return Object.entries(value).every(([keyword, given]) =>
    !Object.hasOwn(keywords, keyword) || keywords[keyword]?.(given) === true
  )
}

/** The schema of a tool's arguments as one object, or why it cannot be used. */
const objectOf = (schema: Json.Value): Result.Result<Json.Object, string> => {
  if (!Json.isShallow(schema)) return Result.fail(Json.tooDeep)
  if (JSON.stringify(schema).length > maxBytes) return Result.fail(`Its schema has more than ${maxBytes} characters`)
  if (!Json.isObject(schema)) return Result.fail("Its schema does not describe an object")
  if (!isSchema(schema)) return Result.fail("Its schema is no JSON Schema")
  const object = RootObject.referred(schema) as Json.Object | undefined
  return object === undefined ? Result.fail("Its schema does not describe an object") : Result.succeed(object)
}

const Page = Schema.toStandardSchemaV1(Schema.Struct({
  tools: Schema.Array(Schema.Json),
  nextCursor: Schema.optional(Schema.NullOr(Schema.String))
}))

const flag = Schema.optionalKey(Schema.Boolean)

const Listed = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.optionalKey(Schema.String),
  inputSchema: Schema.Json,
  outputSchema: Schema.optionalKey(Schema.Json),
  annotations: Schema.optionalKey(Schema.Struct({ readOnlyHint: flag, idempotentHint: flag }))
})
export type Listed = typeof Listed.Type

const decode = Schema.decodeUnknownOption(Listed)

/** A list that never ends is cut here. */
const maxPages = 64
const maxItems = 10_000
const maxLength = 16 * 1024 * 1024
const maxDescription = 4096

/** Of a name in a report. */
const maxLabel = 64

export interface ToolList {
  /** By the names for models. */
  readonly tools: ReadonlyMap<string, Listed>
  readonly problem: string | undefined
}

const nameOf = (item: Json.Value): string => {
  const name = Json.isObject(item) ? item["name"] : undefined
  return typeof name === "string" ? name : ""
}

const labelOf = (name: string): string => {
  const shown = printable(name.slice(0, maxLabel)).trim()
  return shown === "" ? "a tool without a name" : shown
}

const usable = (item: Json.Value): Result.Result<Listed, string> => {
  const tool = Option.getOrUndefined(decode(item))
  return tool === undefined
    ? Result.fail("It is no tool")
    : Result.map(objectOf(tool.inputSchema), (inputSchema) => ({ ...tool, inputSchema }))
}

const isChosen = ({ exclude, include }: McpServer["tools"], name: string): boolean =>
  (include === undefined || include.has(name)) && !exclude.has(name)

/** As many as a person reads. */
const reported = 5

const collect = ({ tools: settings }: McpServer, items: ReadonlyArray<Json.Value>, isCut: boolean): ToolList => {
  const tools = new Map<string, Listed>()
  const names = new Set<string>()
  const problems: Array<string> = []
  let further = 0
  const prefixed = (item: Json.Value) => `${settings.prefix}${nameOf(item)}`
  const nameFor = ToolName.distinct(items.map(prefixed))
  for (const item of items) {
    const given = nameOf(item)
    names.add(given)
    if (!isChosen(settings, given)) continue
    const found = usable(item)
    const name = nameFor(prefixed(item))
    const report = (reason: string) => void problems.push(`${labelOf(given)}: ${reason}`)
    if (Result.isFailure(found)) report(found.failure)
    else if (tools.has(name)) report("Another tool has this name")
    else if (tools.size >= settings.maxTools) further += 1
    else {
      const { description = "" } = found.success
      tools.set(name, { ...found.success, description: description.slice(0, maxDescription) })
    }
  }
  for (const name of settings.include ?? []) if (!names.has(name)) problems.push(`${name}: The server has no such tool`)
  const sentences = [
    ...problems.slice(0, reported),
    ...(problems.length > reported ? [`${problems.length - reported} more tools cannot be used`] : []),
    ...(further > 0 ? [`${further} tools are left out, because maxTools is ${settings.maxTools}`] : []),
    ...(isCut ? [`Only ${maxPages} pages, ${maxItems} tools or ${maxLength} characters of its list were read`] : [])
  ]
  return { tools, problem: sentences.length === 0 ? undefined : sentences.join("; ") }
}

export const read = Effect.fnUntraced(function*(server: McpServer, client: Client) {
  const items: Array<Json.Value> = []
  let length = 0
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const page = yield* Effect.tryPromise({
      try: (signal) => client.request({ method: "tools/list", params }, Page, { signal }),
      catch: (error) => McpFailure.of(server.name, error)
    })
    for (const tool of page.tools.slice(0, maxItems - items.length)) {
      length += JSON.stringify(tool).length
      if (length > maxLength) return collect(server, items, true)
      items.push(tool)
    }
    cursor = page.nextCursor ?? undefined
    if (items.length === maxItems) return collect(server, items, true)
    if (cursor === undefined) return collect(server, items, false)
  }
  return collect(server, items, true)
})
