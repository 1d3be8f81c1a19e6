// The parts of the client that follow from the API's document: types of all schemas, and a method for each operation.
import { declaration, type Schema, typeName, typeOf } from "./JsonSchema.ts"
import { camelCase, isOfRuns, methodName, type named } from "./Names.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
  readonly description?: string
}

interface Operation {
  readonly operationId: string
  readonly [named]?: string
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const head = "// Generated from the API's document by packages/client/scripts/generate.ts\n"

const pascal = (name: string): string => name.charAt(0).toUpperCase() + camelCase(name).slice(1)

interface Method {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const methodsOf = (document: Document): ReadonlyArray<Method> =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    isOfRuns(path) ? [] : Object.entries(operations).map(([method, operation]) => ({
      group: camelCase(operation.tags[0] ?? "system"),
      name: methodName(operation, method, path),
      method,
      path,
      operation
    }))
  )

const successOf = ({ responses }: Operation) =>
  Object.entries(responses).filter(([status]) => status.startsWith("2")).map(([, { content = {} }]) => content)

const resultOf = (operation: Operation): string => {
  const types = successOf(operation).flatMap((content) => {
    const [[type, media] = []] = Object.entries(content)
    if (type === undefined || media === undefined) return ["void"]
    if (type === "application/octet-stream") return ["Blob"]
    return [type === "application/json" ? typeOf(media.schema) : "string"]
  })
  return [...new Set(types)].join(" | ")
}

/** `j` for JSON, `f` for a form that can have files, `n` for lines of JSON; none without a body. */
const bodyOf = ({ requestBody }: Operation): "" | "f" | "j" | "n" => {
  const types = Object.keys(requestBody?.content ?? {})
  if (types.includes("multipart/form-data")) return "f"
  return types.includes("application/json") ? "j" : types.length > 0 ? "n" : ""
}

const queryName = ({ operation }: Method): string => `${pascal(operation.operationId)}Query`

const queryOf = ({ operation }: Method) => (operation.parameters ?? []).filter((each) => each.in === "query")

const argumentsOf = (method: Method): string => {
  const { operation, path } = method
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => `${camelCase(name)}: string | number`)
  const query = queryOf(method)
  const body = bodyOf(operation)
  const media = operation.requestBody?.content
  const schema = media?.["application/json"]?.schema ?? Object.values(media ?? {})[0]?.schema
  const input = schema === undefined
    ? query.length === 0
      ? []
      : [`query${query.some(({ required }) => required === true) ? "" : "?"}: ${queryName(method)}`]
    : [`body${operation.requestBody?.required === false ? "?" : ""}: ${typeOf(schema)}`]
  const options = body !== "" && query.length > 0 ? `Options & { query?: ${queryName(method)} }` : "Options"
  return [...places, ...input, `options?: ${options}`].join(", ")
}

const grouped = (methods: ReadonlyArray<Method>): ReadonlyMap<string, ReadonlyArray<Method>> =>
  Map.groupBy(methods, ({ group }) => group)

const eventsOf = ({ paths }: Document, kind: string): string => {
  const operation = paths[`/${kind}s/{${kind}_id}/runs`]?.["post"]
  const data = operation?.responses["200"]?.content?.["text/event-stream"]?.schema.properties?.["data"]
  return `/** Events of the runs of ${kind}s, by \`event\`. */\nexport type ${pascal(kind)}Event = ${
    typeOf(data?.contentSchema ?? {})
  }\n`
}

export const types = (document: Document): string =>
  [
    `${head}import type { Upload } from "../Uploads.ts"\n`,
    ...["agent", "team", "workflow"].map((kind) => eventsOf(document, kind)),
    ...Object.entries(document.components.schemas).map(([name, schema]) => declaration(name, schema))
  ].join("\n")

const queryType = (method: Method): string => {
  const query = queryOf(method)
  if (query.length === 0) return ""
  const fields = query.map(({ description, name, required, schema }) =>
    `${description === undefined ? "" : `  /** ${description} */\n`}  ${name}${required === true ? "" : "?"}: ${
      typeOf(schema)
    }${required === true ? "" : " | undefined"}\n`
  )
  return `export interface ${queryName(method)} {\n${fields.join("")}}\n\n`
}

const signature = (method: Method): string =>
  `  /** ${method.operation.summary}. ${method.operation.description} */\n` +
  `  ${method.name}(${argumentsOf(method)}): Promise<${resultOf(method.operation)}>\n`

/** The text of a row: `GET /sessions/{}`, with a letter for the kind of its body. */
const row = ({ method, name, operation, path }: Method): string =>
  `    ${name}: ${
    JSON.stringify(`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")} ${bodyOf(operation)}`.trim())
  }`

export const resources = (document: Document): string => {
  const groups = grouped(methodsOf(document))
  const text = [...groups].map(([group, methods]) =>
    `${methods.map(queryType).join("")}export interface ${pascal(group)}Resource {\n${
      methods.map(signature).join("")
    }}\n`
  ).join("\n")
  const known = Object.keys(document.components.schemas).map(typeName)
  const names = [...new Set([...text.replace(/\/\*\*.*?\*\//g, "").matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name))]
    .filter((name) => known.includes(name)).sort()
  return `${head}import type { ${
    names.join(", ")
  } } from "./types.ts"\nimport type { Options } from "../Options.ts"\n\n${text}
/** Every resource of the API, by its name. */
export interface Resources {
${[...groups.keys()].map((group) => `  readonly ${group}: ${pascal(group)}Resource\n`).join("")}}

/** Method and path of each operation; \`{}\` is a parameter. */
export const operations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
${[...groups].map(([group, methods]) => `  ${group}: {\n${methods.map(row).join(",\n")}\n  }`).join(",\n")}
}
`
}
