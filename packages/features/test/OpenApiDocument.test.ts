// The document that is committed is the one that is served: a change of the contract shows as a diff of it.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { contractText } from "../scripts/contractText.ts"
import * as Reference from "../scripts/Reference.ts"
import * as OpenApiDocument from "../src/document/OpenApiDocument.ts"
import { features } from "../src/features.ts"

type Json = { readonly [key: string]: Json }

const document = OpenApiDocument.make() as unknown as Json

const operations = Object.entries(document["paths"]!).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
)

const references = (value: unknown): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, child]) => key === "$ref" ? [String(child)] : references(child))

/** Of the fields of all schemas. */
const fields = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, schema: unknown]> =>
  typeof value !== "object" || value === null ? [] : Object.entries(value).flatMap(([key, child]) => [
    ...(key === "properties"
      ? Object.entries(child).map(([name, schema]) => [`${path}.${name}`, schema] as const)
      : []),
    ...fields(child, `${path}/${key}`)
  ])

const typed = ["$ref", "type", "enum", "const", "anyOf", "oneOf", "allOf"]

describe("openapi.json", () => {
  it("the committed document is current (npm run openapi writes it)", () => {
    const committed = readFileSync(new URL("../openapi.json", import.meta.url), "utf8")
    assert.deepStrictEqual(JSON.parse(committed), document)
    assert.strictEqual(committed, contractText(document))
  })

  it("the pages of the reference are current (npm run openapi writes them)", () => {
    const pages = Reference.pages(document as unknown as Reference.Document, features)
    for (const [name, text] of Object.entries(pages)) {
      assert.strictEqual(readFileSync(new URL(`../../../docs/reference/${name}.md`, import.meta.url), "utf8"), text)
    }
  })

  it("the document is version 3.1 and has the API version", () => {
    assert.match(String(document["openapi"]), /^3\.1\./)
    assert.strictEqual(String(document["info"]?.["version"]), "2.7.2")
  })

  it("the document refers to nothing that is not in it", () => {
    const schemas = Object.keys(document["components"]?.["schemas"] ?? {})
    const names = references(document).map((reference) => reference.replace("#/components/schemas/", ""))
    assert.deepStrictEqual(names.filter((name) => !schemas.includes(name)), [])
  })

  it("every field has a type, also one that may be any JSON", () => {
    const isTyped = (schema: unknown) => typed.some((key) => Object.keys(schema as Json).includes(key))
    assert.deepStrictEqual(fields(document).filter(([, schema]) => !isTyped(schema)).map(([path]) => path), [])
  })

  it("the content of a run is any JSON, and that of a record in lists is text or an object", () => {
    const schemas = document["components"]!["schemas"] as Json
    const contentOf = (name: string) => schemas[name]!["properties"]!["content"]
    const description = "Answer: text, or the JSON value of an output schema"
    for (const name of ["RunOutput", "TeamRunOutput", "WorkflowRunOutput", "StepOutput", "RunCompleted"]) {
      assert.deepStrictEqual(contentOf(name) as unknown, { $ref: "#/components/schemas/Json", description }, name)
    }
    const ofRecord = "Answer: text, or the JSON object of an output schema. Other JSON values are text"
    for (const kind of ["Run", "TeamRun", "WorkflowRun"]) {
      for (const name of [`${kind}Record`, `Partial${kind}Record`]) {
        assert.deepStrictEqual(
          contentOf(name) as unknown,
          { anyOf: [{ type: "string" }, { type: "object" }], description: ofRecord },
          name
        )
      }
    }
  })

  it("the document has one schema for the body of all errors, and no tag on the wire", () => {
    const text = JSON.stringify(document)
    assert.notInclude(text, "\"_tag\"")
    const errors = Object.keys(document["components"]!["schemas"]!).filter((name) => name.includes("ErrorResponse"))
    assert.deepStrictEqual(errors, ["ErrorResponse", "InternalErrorResponse", "ValidationErrorResponse"])
    const codes = document["components"]!["schemas"]!["ErrorResponse"]!["properties"]!["error_code"]!["enum"]
    assert.includeMembers(codes as unknown as Array<string>, [
      "BAD_REQUEST",
      "NOT_FOUND",
      "CONFLICT",
      "SERVICE_UNAVAILABLE"
    ])
  })

  it("the document gives every operation an id of its own", () => {
    const ids = operations.map(([, operation]) => String(operation["operationId"]))
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z]+(_[a-z]+)*$/)
    assert.include(ids, "get_session_by_id")
  })

  it("every operation with a body can refuse one that is too large, or of another type", () => {
    const withBody = operations.filter(([, operation]) => operation["requestBody"] !== undefined)
    assert.isNotEmpty(withBody)
    for (const [name, operation] of withBody) {
      assert.includeMembers(Object.keys(operation["responses"]!), ["413", "415"], name)
    }
  })

  it("the document describes session retrieval as the specification does", () => {
    const get = document["paths"]!["/sessions/{session_id}"]!["get"]!
    assert.includeMembers(Object.keys(get["responses"]!), ["200", "400", "404", "422", "500"])
    const parameters = (get["parameters"] as unknown as ReadonlyArray<Record<string, unknown>>)
      .map(({ in: where, name, required }) => ({ where, name, required }))
    assert.deepStrictEqual(parameters, [
      { where: "path", name: "session_id", required: true },
      { where: "query", name: "type", required: false },
      { where: "query", name: "user_id", required: false },
      { where: "query", name: "db_id", required: false },
      { where: "query", name: "table", required: false }
    ])
  })

  it("the document shows whole numbers in queries as such, and bodies that may be left out", () => {
    const sessions = document["paths"]!["/sessions"]!
    const parameters = sessions["get"]!["parameters"] as unknown as ReadonlyArray<Record<string, unknown>>
    const limit = parameters.find(({ name }) => name === "limit")
    assert.deepStrictEqual(limit, {
      name: "limit",
      in: "query",
      description: "Largest number of entries on a page",
      schema: { type: "integer" },
      required: false
    })
    assert.strictEqual(sessions["post"]!["requestBody"]!["required"] as unknown, false)
    assert.strictEqual(sessions["delete"]!["requestBody"]!["required"] as unknown, true)
  })

  it("starting a run accepts JSON and both form encodings, and returns JSON or a stream", () => {
    const { requestBody, responses } = document["paths"]!["/agents/{agent_id}/runs"]!["post"] as Json
    assert.deepStrictEqual(Object.keys(requestBody!["content"]!), [
      "application/json",
      "multipart/form-data",
      "application/x-www-form-urlencoded"
    ])
    assert.deepStrictEqual(Object.keys(responses!["200"]!["content"]!), ["application/json", "text/event-stream"])
    assert.isDefined(responses!["202"])
  })
})
