// The examples of the API's document are values that their schemas accept.
import { assert, describe, it } from "@effect/vitest"
import { isJsonObject, type Json, type JsonObject } from "@svc-runtime/api/documentation/Json"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import * as OpenApiDocument from "../src/document/OpenApiDocument.ts"

// the check resolves references to definitions
const document = JSON.parse(
  JSON.stringify(OpenApiDocument.make()).replaceAll("#/components/schemas/", "#/$defs/")
) as JsonObject

interface Example {
  readonly place: string
  readonly schema: JsonObject
  readonly value: Json
}

const examplesIn = (value: Json, place: string): ReadonlyArray<Example> => {
  if (Array.isArray(value)) return value.flatMap((each, index) => examplesIn(each, `${place}/${index}`))
  if (!isJsonObject(value)) return []
  const { example, examples, schema } = value
  const isProperties = place.endsWith("/properties")
  return [
    ...(Array.isArray(examples) && !isProperties
      ? examples.map((each) => ({ place, schema: value, value: each }))
      : []),
    ...(example !== undefined && isJsonObject(schema) && !isProperties ? [{ place, schema, value: example }] : []),
    ...Object.entries(value).flatMap(([key, child]) => key === "example" ? [] : examplesIn(child, `${place}/${key}`))
  ]
}

/** The schemas of forms have texts only. Requests may have other JSON in their place, as the examples have. */
const isOfForm = ({ schema }: Example): boolean => /Form(_\d+)?$/.test(String(schema["$ref"]))

const examples = examplesIn(document, "").filter((example) => !isOfForm(example))

describe("examples of the API's document", () => {
  it("every example fits its schema", () => {
    assert.isAbove(examples.length, 2000)
    const fits = JsonSchemaCheck.make({
      $defs: document["components"]!["schemas" as never],
      prefixItems: examples.map(({ schema }) => schema)
    })
    const verdict = fits(examples.map(({ value }) => value))
    assert.strictEqual(verdict._tag, "Checked")
    const issues = verdict._tag === "Checked" ? verdict.issues : []
    assert.deepStrictEqual(
      issues.map(({ message, path: [index, ...path] }) => [examples[Number(index)]?.place, ...path, message].join(" ")),
      []
    )
  })

  it("every example matches the pattern of its schema", () => {
    const wrong = examples.filter(({ schema: { pattern }, value }) =>
      typeof pattern === "string" && !new RegExp(pattern, "u").test(String(value))
    )
    assert.deepStrictEqual(wrong.map(({ place }) => place), [])
  })
})
