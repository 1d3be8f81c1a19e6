// The part of the API's document about added routes.
import { isJsonObject, type Json, type JsonObject } from "@svc-runtime/api/documentation/Json"
import { type AnySchema, authored } from "@svc-runtime/engine/schema/AnySchema"
import * as RoutePattern from "@svc-runtime/http/authorization/RoutePattern"
import type { DeclaredRoute } from "./DeclaredRoute.ts"

export interface Part {
  readonly paths: JsonObject
  readonly schemas: JsonObject
}

const recordOf = (value: Json | undefined): JsonObject => isJsonObject(value) ? value : {}

export const merged = (parts: ReadonlyArray<Part>): Part => {
  const [paths, schemas]: readonly [JsonObject, JsonObject] = [{}, {}]
  for (const part of parts) {
    for (const [path, operations] of Object.entries(part.paths)) {
      paths[path] = { ...recordOf(paths[path]), ...recordOf(operations) }
    }
    Object.assign(schemas, part.schemas)
  }
  return { paths, schemas }
}

/** Of the document of another `HttpApi`. */
export const ofDocument = (document: object): Part => {
  const { components, paths } = document as JsonObject
  return { paths: recordOf(paths), schemas: recordOf(recordOf(components)["schemas"]) }
}

export interface Described extends DeclaredRoute {
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly body?: unknown
}

const needs = ({ scope }: Described): string => scope === "none" ? "" : `Needs the scope \`${scope}\`.`

/** The schema of a body; its definitions stay inside of it. */
const requestOf = (body: unknown): JsonObject =>
  body === undefined ? {} : {
    requestBody: {
      required: true,
      content: { "application/json": { schema: authored(body as AnySchema).jsonSchema as JsonObject } }
    }
  }

export const ofRoute = (route: Described): Part => {
  const { body, description, method, path, summary } = route
  const segments = RoutePattern.split(path)
  const names = segments.flatMap((segment) =>
    segment.startsWith(":") ? [segment.slice(1)] : segment === "*" ? ["*"] : []
  )
  const operation: JsonObject = {
    tags: ["Application"],
    operationId: `${method} ${path}`,
    summary: summary ?? `${method} ${path}`,
    description: [description, needs(route)].filter((text) => text !== undefined && text !== "").join(" "),
    parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    security: [{ bearer: [] }],
    ...requestOf(body),
    responses: { default: { description: "The response of the application" } }
  }
  const shown = `/${
    segments.map((segment) => segment.startsWith(":") ? `{${segment.slice(1)}}` : segment === "*" ? "{*}" : segment)
      .join("/")
  }`
  return { paths: { [shown]: { [method.toLowerCase()]: operation } }, schemas: {} }
}

/** The document with these routes. What the service has itself stays. */
export const added = (document: JsonObject, { paths, schemas }: Part): JsonObject => {
  const components = recordOf(document["components"])
  const own = { paths: recordOf(document["paths"]), schemas: recordOf(components["schemas"]) }
  const all = merged([{ paths, schemas }, own])
  return { ...document, paths: all.paths, components: { ...components, schemas: all.schemas } }
}
