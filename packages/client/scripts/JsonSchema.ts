// TypeScript types of the schemas in the API's document, with their texts as comments.

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string | number | boolean | null>
  readonly const?: string | number | boolean | null
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly items?: Schema | false
  readonly prefixItems?: ReadonlyArray<Schema>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
  readonly format?: string
  readonly contentSchema?: Schema
}

/** Names that the generator numbered get their number without an underscore. */
export const typeName = (name: string): string =>
  name === "Union_" ? "MemberRun" : name.replace(/^File$/, "FileMedia").replace(/_(\d+)$/, "$1")

const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`

const union = (types: ReadonlyArray<string>): string => [...new Set(types)].join(" | ")

const member = (type: string): string => / [|&] /.test(type) ? `(${type})` : type

const key = (name: string): string => /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)

export const objectType = (schema: Schema, indent: string): string => {
  const { additionalProperties, properties = {}, required = [] } = schema
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, each]) =>
    `${comment(each.description, inner)}${inner}${key(name)}${required.includes(name) ? "" : "?"}: ` +
    `${typeOf(each, inner)}${required.includes(name) ? "" : " | undefined"}\n`
  )
  if (fields.length > 0) return `{\n${fields.join("")}${indent}}`
  return typeof additionalProperties === "object"
    ? `{ [key: string]: ${typeOf(additionalProperties, indent)} }`
    : "{ [key: string]: Json }"
}

/** A text of a form that has JSON: the client takes the value as well. */
export const jsonText = ({ description = "" }: Schema): string => {
  const [, kind] = /^(?:A )?JSON (object|array|Schema)\b(?! of metadata, or)/.exec(description) ?? []
  if (kind === "object" || kind === "Schema") return "string | { [key: string]: Json }"
  if (kind === "array") return "string | Array<{ [key: string]: Json }>"
  return description.startsWith("A JSON ") ? "Json" : "string"
}

/** Forms take `true` and `false` as texts too. */
export const isFlag = (parts: ReadonlyArray<Schema>): boolean =>
  parts.length === 2 && parts.some(({ type }) => type === "string") &&
  parts.some(({ enum: values, type }) => type === "boolean" || values?.join() === "true,false")

const isAny = (schema: Schema): boolean => Object.keys(schema).every((name) => name === "description")

export const typeOf = (schema: Schema, indent = ""): string => {
  if (schema.$ref !== undefined) return typeName(schema.$ref.replace("#/components/schemas/", ""))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined && isFlag(parts)) return "boolean"
  if (parts !== undefined) return union(parts.map((part) => typeOf(part, indent)))
  if (schema.allOf !== undefined && schema.type === undefined) {
    return schema.allOf.map((part) => member(typeOf(part, indent))).join(" & ")
  }
  switch (schema.type) {
    case "string":
      return schema.format === "binary" ? "Upload" : jsonText(schema)
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array":
      return typeof schema.items === "object" ? `Array<${typeOf(schema.items, indent)}>` : "Array<Json>"
    case "object":
      return objectType(schema, indent)
    default:
      return isAny(schema) ? "Json" : schema.properties === undefined ? "Json" : objectType(schema, indent)
  }
}

export const declaration = (name: string, schema: Schema): string => {
  const text = comment(schema.description, "")
  return schema.type === "object" && schema.properties !== undefined
    ? `${text}export interface ${typeName(name)} ${objectType(schema, "")}\n`
    : `${text}export type ${typeName(name)} = ${typeOf(schema)}\n`
}
