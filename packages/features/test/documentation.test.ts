// What the API's document says about operations and fields, for readers who do not know the source.
import { assert, describe, it } from "@effect/vitest"
import { operations } from "../src/document/Described.ts"
import { isAmbiguous } from "../src/document/fields/commonNames.ts"
import { fields, groups } from "../src/document/fields/index.ts"
import * as OpenApiDocument from "../src/document/OpenApiDocument.ts"

type Json = { readonly [key: string]: Json }

const document = OpenApiDocument.make() as unknown as Json

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

interface Property {
  readonly schema: string
  /** The schema, and the names down to the nested object that has the property. */
  readonly place?: string
  readonly name: string
  readonly value: Json
}

const propertiesIn = (schema: string, value: unknown, place = schema): ReadonlyArray<Property> => {
  if (Array.isArray(value)) return value.flatMap((each) => propertiesIn(schema, each, place))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === "properties"
      ? Object.entries(child).flatMap(([name, each]) => [
        { schema, place, name, value: each },
        ...propertiesIn(schema, each, `${place}.${name}`)
      ])
      : propertiesIn(schema, child, place)
  )
}

const described = Object.entries(document["paths"]!).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    id: String(operation["operationId"]),
    operation
  }))
)

const properties = [
  ...Object.entries(document["components"]!["schemas"]!).flatMap(([name, schema]) => propertiesIn(name, schema)),
  ...described.flatMap(({ id, operation }) => propertiesIn(id, operation))
]

const parameters = described.flatMap(({ name, operation }) =>
  (operation["parameters"] as unknown as ReadonlyArray<Json> | undefined ?? []).map((value) => ({
    schema: name,
    name: String(value["name"]),
    value
  }))
)

const withoutText = (all: ReadonlyArray<Property>) => [
  ...new Set(
    all.filter(({ value }) => typeof value["description"] as unknown !== "string")
      .map(({ name, schema }) => `${schema}.${name}`)
  )
]

describe("the document of the API", () => {
  it("every operation has a summary, and a description that ends as a sentence", () => {
    assert.isNotEmpty(described)
    for (const { name, operation } of described) {
      assert.match(String(operation["summary"]), /^[A-Z][^.]{4,60}$/, name)
      assert.match(String(operation["description"]), /^[A-Z].*\.$/s, name)
    }
  })

  it("every property has a description", () => {
    assert.isAbove(properties.length, 3000)
    assert.deepStrictEqual(withoutText(properties), [], "describe them in fields of the texts beside their endpoints")
  })

  it("a text about a field whose name does not say enough names the schema of the field", () => {
    assert.deepStrictEqual(Object.keys(fields).filter(isAmbiguous), [])
  })

  it("every parameter has a description, and one that is required has an example", () => {
    assert.deepStrictEqual(withoutText(parameters), [], "describe them in fields of the texts beside their endpoints")
    const required = parameters.filter(({ value }) => Boolean(value["required"]))
    assert.deepStrictEqual(
      [...new Set(required.filter(({ value }) => value["example"] === undefined).map(({ name }) => name))],
      []
    )
  })

  it("every operation with a body has an example of it", () => {
    const without = described.filter(({ id, operation }) =>
      operation["requestBody"] !== undefined && operations[id]?.body === undefined
    )
    assert.deepStrictEqual(without.map(({ name }) => name), [])
  })

  it("the texts are about operations and fields that exist", () => {
    const ids = described.map(({ id }) => id)
    assert.deepStrictEqual(Object.keys(operations).filter((id) => !ids.includes(id)), [])
    const names = new Set([...properties, ...parameters].flatMap(({ name, place, schema }: Property) => [
      name,
      `${place}.${name}`,
      `Parameter.${name}`,
      `${schema.replace(/_\d+$/, "").replace(/Encoded$/, "")}.${name}`,
      `ServerSentEvent.${name}`
    ]))
    assert.deepStrictEqual(Object.keys(fields).filter((name) => !names.has(name)), [])
  })

  it("no field is described twice", () => {
    const names = groups.flatMap((group) => Object.keys(group))
    assert.deepStrictEqual(names.filter((name, index) => names.indexOf(name) !== index), [])
  })
})
