// Adds texts and examples to the API's document. A text that a schema has already stays.
import type { Field } from "@svc-runtime/api/documentation/Field"
import { isJsonObject, type Json, type JsonObject } from "@svc-runtime/api/documentation/Json"
import type { Operations } from "@svc-runtime/api/documentation/Operation"
import { texts } from "../Api.ts"
import { componentOperations } from "./componentOperations.ts"
import { isAmbiguous } from "./fields/commonNames.ts"
import { fields } from "./fields/index.ts"

// All operations of the API.

export const operations: Operations = Object.assign(
  {},
  componentOperations,
  ...Object.values(texts).map((each) => each.operations)
)

/** The name without what the generator appends to it. */
const plainName = (name: string): string => name.replace(/_\d+$/, "").replace(/Encoded$/, "")

/** `place` is the schema, and for a field of a nested object the names down to the object. */
const fieldOf = (place: string, name: string): Field | undefined => {
  const [schema] = place.split(".", 1)
  return fields[`${place}.${name}`] ?? fields[`${schema}.${name}`] ?? (isAmbiguous(name) ? undefined : fields[name])
}

const split = (field: Field): readonly [text: string, example?: string | number] =>
  typeof field === "string" ? [field] : field

const typesOf = (schema: JsonObject): ReadonlyArray<Json | undefined> =>
  Array.isArray(schema["anyOf"])
    ? schema["anyOf"].flatMap((each) => isJsonObject(each) ? typesOf(each) : [])
    : [schema["enum"] === undefined ? schema["type"] : undefined]

const fits = (example: string | number, schema: JsonObject): boolean => {
  const types = typesOf(schema)
  return typeof example === "number"
    ? types.some((type) => type === "integer" || type === "number")
    : types.includes("string")
}

const describedProperty = (place: string, name: string, property: Json): Json => {
  const field = fieldOf(place, name)
  if (!isJsonObject(property) || field === undefined) return property
  const [text, example] = split(field)
  return {
    ...property,
    description: property["description"] ?? text,
    ...(example === undefined || !fits(example, property) ? {} : { examples: [example] })
  }
}

const isMessageOfStream = (properties: JsonObject): boolean => Object.keys(properties).sort().join() === "data,event,id"

const describedSchema = (place: string, value: Json): Json => {
  if (Array.isArray(value)) return value.map((each) => describedSchema(place, each))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (key !== "properties" || !isJsonObject(child)) return [key, describedSchema(place, child)]
      const owner = isMessageOfStream(child) ? "ServerSentEvent" : place
      return [
        key,
        Object.fromEntries(
          Object.entries(child).map(([name, property]) => [
            name,
            describedProperty(owner, name, describedSchema(`${place}.${name}`, property))
          ])
        )
      ]
    })
  )
}

const describedParameter = (parameter: Json): Json => {
  if (!isJsonObject(parameter) || typeof parameter["name"] !== "string") return parameter
  const field = fieldOf("Parameter", parameter["name"])
  if (field === undefined) return parameter
  const [text, example] = split(field)
  const { in: place, name, ...rest } = parameter
  const own = isJsonObject(rest["schema"]) ? rest["schema"]["description"] : undefined
  return {
    name,
    in: place ?? null,
    description: own ?? text,
    // an example of a parameter that can be left out would be sent by each trial of the operation
    ...(parameter["required"] === true && example !== undefined ? { example } : {}),
    ...rest
  }
}

/** Fields of forms are texts: what is no text is sent as JSON. */
const formExample = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])
  )

const exampleFor = (type: string, body: JsonObject | string): Json =>
  type === "application/json" || typeof body === "string" ? body : formExample(body)

const withExample = (requestBody: Json, body: JsonObject | string): Json =>
  isJsonObject(requestBody) && isJsonObject(requestBody["content"])
    ? {
      ...requestBody,
      content: Object.fromEntries(
        Object.entries(requestBody["content"]).map(([type, media]) => [
          type,
          isJsonObject(media) ? { ...media, example: exampleFor(type, body) } : media
        ])
      )
    }
    : requestBody

const describedOperation = (operation: Json): Json => {
  if (!isJsonObject(operation) || typeof operation["operationId"] !== "string") return operation
  const found = operations[operation["operationId"]]
  const { parameters, requestBody, ...rest } = describedSchema(operation["operationId"], operation) as JsonObject
  return {
    ...rest,
    ...(found === undefined ? {} : {
      ...(found.method === undefined ? {} : { "x-client-method": found.method }),
      summary: found.summary,
      description: [found.description, operation["description"]].filter((text) => text !== undefined).join(" ")
    }),
    ...(Array.isArray(parameters) ? { parameters: parameters.map(describedParameter) } : {}),
    ...(requestBody === undefined ? {} : {
      requestBody: found?.body === undefined ? requestBody : withExample(requestBody, found.body as JsonObject | string)
    })
  }
}

const mapped = (value: Json | undefined, change: (child: Json, key: string) => Json): JsonObject =>
  isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, child]) => [key, change(child, key)])) : {}

/** The parts of the service that the paths of the document do not show. */
const about = [
  "A self-hosted runtime service for AI agents, teams and workflows.",
  "The version of this document is that of the HTTP interface. `GET /` and `GET /info` have the version of the service.",
  "**Sockets.** A WebSocket at `/workflows/{workflow_id}/ws`, or at `/workflows/ws` with `workflow_id` in each message, " +
  "runs workflows. The first message authenticates on a closed service: " +
  "`{\"action\": \"authenticate\", \"token\": \"…\"}`. `{\"action\": \"start-workflow\", \"message\": \"…\"}` starts " +
  "a run, and each event is a message.",
  "**MCP.** Assistants connect to `/mcp` by Streamable HTTP: `svc connect` writes the entries of their configurations.",
  "Clients of A2A, AG-UI, the AI SDK and OpenAI have routes of their own, which `GET /config` lists in `interfaces`."
].join("\n\n")

export const described = (document: JsonObject): JsonObject => ({
  ...document,
  info: { ...(isJsonObject(document["info"]) ? document["info"] : {}), description: about },
  paths: mapped(document["paths"], (path) => mapped(path, describedOperation)),
  components: {
    ...mapped(document["components"], (each) => each),
    schemas: mapped(
      isJsonObject(document["components"]) ? document["components"]["schemas"] : {},
      (schema, name) => describedSchema(plainName(name), schema)
    )
  }
})
