// The parts of the client that follow from the API's document: types of all schemas, and a method for each operation.
import { declaration, typeName, typeOf } from "./JsonSchema.ts"
import { camelCase } from "./Names.ts"
import {
  bodyOf,
  type Document,
  grouped,
  type Method,
  methodsOf,
  type Operation,
  pascal,
  queryName,
  queryOf,
  successOf
} from "./Operations.ts"

const head = "// Generated from the API's document by packages/client/scripts/generate.ts\n"

const resultOf = (operation: Operation): string => {
  const types = successOf(operation).flatMap((content) => {
    const [[type, media] = []] = Object.entries(content)
    if (type === undefined || media === undefined) return ["void"]
    if (type === "application/octet-stream") return ["Blob"]
    return [type === "application/json" ? typeOf(media.schema) : "string"]
  })
  return [...new Set(types)].join(" | ")
}

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

/** The text of a row: `GET /sessions/{} q`, with a letter for the kind of its body, or `q` for a query without one. */
const row = (operation: Method): string => {
  const { method, name, path } = operation
  const body = bodyOf(operation.operation)
  const input = body === "" && queryOf(operation).length > 0 ? "q" : body
  const text = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")} ${input}`.trim()
  return `    ${name}: ${JSON.stringify(text)}`
}

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
