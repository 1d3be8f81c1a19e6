// The parts of the Python client that follow from the API's document: typed dictionaries of all schemas, and a method
// for each operation. `clients/python` has the rest.
import { isFlag, jsonText, type Schema, typeName } from "./JsonSchema.ts"
import { bodyOf, type Document, grouped, type Method, methodsOf, pascal, queryOf, successOf } from "./Operations.ts"

const head = (imports: string) =>
  `# Generated from the API's document by packages/client/scripts/generate.ts\nfrom __future__ import annotations\n\n${imports}\n`

const snakeCase = (name: string): string => {
  const text = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return ["import", "continue", "from", "class", "pass"].includes(text) ? `${text}_` : text
}

const docstring = (text: string | undefined, indent: string): string =>
  text === undefined
    ? ""
    : `${indent}"""${text.replaceAll("\\", "\\\\").replaceAll("\"\"\"", "'''").replace(/"$/, "\" ")}"""\n`

const literal = (value: unknown): string =>
  value === null ? "None" : value === true ? "True" : value === false ? "False" : JSON.stringify(value)

const union = (types: ReadonlyArray<string>): string => {
  const all = [...new Set(types)]
  return all.includes("Any")
    ? "Any"
    : [...all.filter((each) => each !== "None"), ...all.filter((each) => each === "None")].join(" | ")
}

/** Names of the objects without a name that were met, by their text. */
type Inner = Map<string, Schema>

const stringType = (schema: Schema): string => {
  if (schema.format === "binary") return "Upload"
  const type = jsonText(schema)
  return type === "string"
    ? "str"
    : type === "Json"
    ? "Any"
    : type.includes("Array")
    ? "str | List[Dict[str, Any]]"
    : "str | Dict[str, Any]"
}

const objectType = (schema: Schema, name: string, inner: Inner): string => {
  if (Object.keys(schema.properties ?? {}).length > 0) {
    inner.set(name, schema)
    return name
  }
  return typeof schema.additionalProperties === "object"
    ? `Dict[str, ${typeOf(schema.additionalProperties, `${name}Value`, inner)}]`
    : "Dict[str, Any]"
}

/** The type of a schema; `name` is that of an object without one. */
const typeOf = (schema: Schema, name: string, inner: Inner): string => {
  if (schema.$ref !== undefined) {
    const type = typeName(schema.$ref.replace("#/components/schemas/", ""))
    return type === "Json" ? "Any" : type
  }
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined && isFlag(parts)) return "bool"
  if (parts !== undefined) {
    return union(parts.map((part, index) => typeOf(part, index === 0 ? name : `${name}${index + 1}`, inner)))
  }
  switch (schema.type) {
    case "string":
      return stringType(schema)
    case "integer":
      return "int"
    case "number":
      return "float"
    case "boolean":
      return "bool"
    case "null":
      return "None"
    case "array":
      return typeof schema.items === "object" ? `List[${typeOf(schema.items, `${name}Item`, inner)}]` : "List[Any]"
    case "object":
      return objectType(schema, name, inner)
    default:
      return schema.properties === undefined ? "Any" : objectType(schema, name, inner)
  }
}

const typedDict = (name: string, { description, properties = {}, required = [] }: Schema, inner: Inner): string => {
  const fields = Object.entries(properties).map(([field, each]) => {
    const type = typeOf(each, `${name}${pascal(field)}`, inner)
    return `    ${field}: ${required.includes(field) ? type : `NotRequired[${type}]`}\n${
      docstring(each.description, "    ")
    }`
  })
  return `class ${name}(TypedDict):\n${docstring(description, "    ")}${fields.join("")}\n\n`
}

/** The classes, and those of objects inside of them. */
const typedDicts = (schemas: Iterable<readonly [name: string, schema: Schema]>): string => {
  const inner: Inner = new Map()
  const own = [...schemas].map(([name, schema]) => typedDict(name, schema, inner)).join("")
  return inner.size === 0 ? own : own + typedDicts(inner)
}

/** The fields of a form that a method does not set itself. */
const without = (schema: Schema | undefined, ...names: ReadonlyArray<string>): Schema => {
  const { properties = {}, required = [] } = schema ?? {}
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    required: required.filter((name) => !names.includes(name))
  }
}

const decisions: Schema = { type: "array", items: { type: "object" } }

/** Decisions are entries of the run with the answer added, so they are given as objects. */
const deciding = ({ properties = {}, ...schema }: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, each]) =>
      /^tools$|requirements$/.test(name)
        ? [name, { ...decisions, ...(each.description === undefined ? {} : { description: each.description }) }]
        : [name, each]
    )
  )
})

const eventsOf = ({ paths }: Document, kind: string): string => {
  const operation = paths[`/${kind}s/{${kind}_id}/runs`]?.["post"]
  const data = operation?.responses["200"]?.content?.["text/event-stream"]?.schema.properties?.["data"]
  return `${pascal(kind)}Event: TypeAlias = ${
    typeOf(data?.contentSchema ?? {}, "", new Map())
  }\n"""Events of the runs of ${kind}s, by \`event\`."""\n`
}

const isClass = ({ properties, type }: Schema): boolean => type === "object" && properties !== undefined

/** A name is declared before the names that need it. */
const aliases = (schemas: ReadonlyArray<readonly [string, Schema]>, inner: Inner): ReadonlyArray<string> => {
  const declared = new Set<string>()
  const types = new Map(schemas.map(([name, schema]) => [typeName(name), typeOf(schema, typeName(name), inner)]))
  const declare = (name: string): ReadonlyArray<string> => {
    const type = types.get(name)
    if (type === undefined || declared.has(name)) return []
    declared.add(name)
    return [...[...type.matchAll(/\w+/g)].flatMap(([each]) => declare(each)), `${name}: TypeAlias = ${type}\n`]
  }
  return [...types.keys()].flatMap(declare)
}

const modelImports = `import os
from typing import Any, BinaryIO, Dict, List, Literal, NotRequired, Tuple, TypeAlias, TypedDict

Upload: TypeAlias = "str | os.PathLike[str] | BinaryIO | Tuple[str, bytes]"
"""A file: its path, an open file, or its name and bytes."""

`

/** The text of models.py. */
export const models = (document: Document): string => {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => name !== "Json")
  const { ContinueForm, RunForm, WorkflowContinueForm } = document.components.schemas
  const mode = ["stream", "background"]
  const inner: Inner = new Map()
  const named = aliases(schemas.filter(([, schema]) => !isClass(schema)), inner)
  const classes = typedDicts([
    ...schemas.filter(([, schema]) => isClass(schema)).map(([name, schema]) => [typeName(name), schema] as const),
    ["RunOptions", without(RunForm, "message", ...mode)],
    ["ContinueOptions", deciding(without(ContinueForm, "session_id", ...mode))],
    ["WorkflowContinueOptions", deciding(without(WorkflowContinueForm, "session_id", ...mode))],
    ...inner
  ])
  const events = ["agent", "team", "workflow"].map((kind) => eventsOf(document, kind))
  return `${head(modelImports)}${classes}${[...named, ...events].join("")}`
}

const queryName = ({ operation }: Method): string => `${pascal(operation.operationId)}Query`

const resultOf = ({ operation }: Method): string =>
  union(
    successOf(operation).map((content) => {
      const [[type, media] = []] = Object.entries(content)
      if (type === undefined || media === undefined) return "None"
      if (type === "application/octet-stream") return "bytes"
      return type === "application/json"
        ? typeOf(media.schema, `${pascal(operation.operationId)}Result`, new Map())
        : "str"
    })
  )

/** An object is given as its fields. Other bodies are one argument. */
const bodyType = ({ operation }: Method): string => {
  const media = operation.requestBody?.content
  const schema = media?.["application/json"]?.schema ?? Object.values(media ?? {})[0]?.schema ?? {}
  const object = (schema.anyOf ?? [schema]).find(({ $ref }) => $ref !== undefined) ?? schema
  return typeOf(object, "", new Map())
}

const methodText = (method: Method, isAsync: boolean): string => {
  const { operation, path } = method
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
  const kind = bodyOf(operation)
  const hasQuery = queryOf(method).length > 0
  const params = hasQuery ? `${queryName(method)} | None = None` : undefined
  const parameters = [
    "self",
    ...places.map((name) => `${name}: str | int`),
    ...(kind === "n" ? ["body: str"] : []),
    "/",
    ...(kind === "" || params === undefined
      ? []
      : kind === "n"
      ? ["*", `params: ${params}`]
      : ["*", `params: ${params}`]),
    ...(kind === ""
      ? hasQuery ? [`**query: Unpack[${queryName(method)}]`] : []
      : kind === "n"
      ? []
      : [`**body: Unpack[${bodyType(method)}]`])
  ]
  const given = [
    JSON.stringify(`${method.method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")}`),
    `(${places.map((name) => `${name},`).join(" ")})`,
    ...(kind === ""
      ? hasQuery ? ["query=query"] : []
      : [...(hasQuery ? ["query=params"] : []), "body=body", `kind="${kind}"`])
  ]
  return `    ${isAsync ? "async " : ""}def ${snakeCase(method.name)}(${parameters.join(", ")}) -> ${
    resultOf(method)
  }:\n` +
    docstring(`${operation.summary}. ${operation.description}`, "        ") +
    `        return ${isAsync ? "await " : ""}self._call(${given.join(", ")})\n\n`
}

/** The text of resources.py. */
export const resources = (document: Document): string => {
  const groups = [...grouped(methodsOf(document))]
  const queries = typedDicts(
    groups.flatMap(([, methods]) => methods).filter((method) => queryOf(method).length > 0).map((method) => [
      queryName(method),
      {
        properties: Object.fromEntries(
          queryOf(method).map(({ description, name, schema }) => [
            name,
            { ...schema, ...(description === undefined ? {} : { description }) }
          ])
        ),
        required: queryOf(method).filter(({ required }) => required === true).map(({ name }) => name)
      } satisfies Schema
    ])
  )
  const classes = [false, true].map((isAsync) => {
    const prefix = isAsync ? "Async" : ""
    const each = groups.map(([group, methods]) =>
      `class ${prefix}${pascal(group)}Resource(${prefix}Resource):\n${
        methods.map((method) => methodText(method, isAsync)).join("")
      }\n`
    )
    const fields = groups.map(([group]) =>
      `        self.${snakeCase(group)} = ${prefix}${pascal(group)}Resource(connection)\n`
    )
    return `${
      each.join("")
    }class ${prefix}Resources:\n    """Every resource of the API, by its name."""\n\n    def __init__(self, connection: Connection) -> None:\n${
      fields.join("")
    }`
  })
  const text = `${queries}${classes.join("\n\n")}`
  const known = Object.keys(document.components.schemas).map(typeName)
  const names = [...new Set([...text.replace(/"""[^]*?"""/g, "").matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name))]
    .filter((name) => known.includes(name)).toSorted()
  const imports = `from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Unpack

from ._connection import Connection
from ._resource import AsyncResource, Resource
from .models import (
${names.map((name) => `    ${name},\n`).join("")})

`
  return `${head(imports)}${text}`
}
