// Mistakes in schemas: what cannot be described, and what is no object where names are needed.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { z } from "zod"
import * as Old from "zod/v3"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const { Agent, AgentFactory, McpServerTool, Step, Tool } = untyped

const a = Agent.make({ id: "a" })

const patterned = { type: "object", patternProperties: { "^p": { type: "number" } } }

const closedPatterned = { ...patterned, properties: { a: { type: "string" } }, additionalProperties: false }

/** As valibot 1 has it. */
const valibot = { "~standard": { version: 1, vendor: "valibot", validate: (value: unknown) => ({ value }) } }

const patterns = "patternProperties are only read if there is one pattern, no properties beside it, and " +
  "additionalProperties: false. Name the keys in properties, or give the schema of all others in additionalProperties"

const objects = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "outputSchema text",
    () => Agent.make({ id: "a", outputSchema: "text" }),
    "Agent 'a': its outputSchema must be a schema, and is the text 'text'. Write z.object({ … }), or a JSON Schema"
  ],
  [
    "outputSchema fields",
    () => Agent.make({ id: "a", outputSchema: { city: z.string() } }),
    "Agent 'a': its outputSchema must be a schema, and it is a map of fields (city). Write z.object({ … }) around the fields, or { type: \"object\", properties: { … } } if they are JSON Schemas"
  ],
  [
    "tool fields zod",
    () => Tool.make({ name: "t", parameters: { city: z.string() }, execute: () => 1 }),
    "Tool 't': its parameters must be a schema, and it is a map of fields (city). Write z.object({ … }) around the fields, or { type: \"object\", properties: { … } } if they are JSON Schemas"
  ],
  [
    "tool date",
    () => Tool.make({ name: "t", parameters: z.object({ day: z.date() }), execute: () => 1 }),
    "Tool 't': its parameters cannot be described to a model (field 'day'). Date cannot be represented in JSON Schema. " +
    "JSON has dates as texts: write z.iso.datetime() or z.iso.date()"
  ],
  [
    "tool nested date",
    () => Tool.make({ name: "t", parameters: z.object({ trip: z.object({ day: z.date() }) }), execute: () => 1 }),
    "Tool 't': its parameters cannot be described to a model (field 'trip.day'). Date cannot be represented in JSON Schema. " +
    "JSON has dates as texts: write z.iso.datetime() or z.iso.date()"
  ],
  [
    "tool zod3",
    () => Tool.make({ name: "t", parameters: Old.z.object({ day: Old.z.string() }), execute: () => 1 }),
    "Tool 't': its parameters cannot be described to a model (field 'day'). This zod schema cannot describe itself as JSON Schema. Use zod 4.2 or later, imported from \"zod\", an Effect Schema, or give the JSON Schema itself."
  ],
  [
    "tool string",
    () => Tool.make({ name: "t", parameters: z.string(), execute: () => 1 }),
    "Tool 't': its parameters must be one object, because models name every argument. It is a text. Write z.object({ … }) with a field for it"
  ],
  [
    "tool parameters list",
    () => Tool.make({ name: "t", parameters: ["city"], execute: () => 1 }),
    "Tool 't': its parameters must be a schema, and is a list. Write z.object({ … }), or a JSON Schema"
  ],
  [
    "tool parameters text",
    () => Tool.make({ name: "t", parameters: "city", execute: () => 1 }),
    "Tool 't': its parameters must be a schema, and is the text 'city'. Write z.object({ … }), or a JSON Schema"
  ],
  [
    "step userInput",
    () => Step.make({ name: "s", agent: a, userInput: { schema: z.array(z.string()) } }),
    "Step 's': its userInput must be one object, because a person sees a field for each value. It is a list. Write z.object({ … }) with a field for it"
  ],
  [
    "tool open patterns",
    () => Tool.make({ name: "t", parameters: { type: "object", properties: { prices: patterned } }, execute: () => 1 }),
    `Tool 't': its parameters cannot be described to a model (field 'prices'). ${patterns}`
  ],
  [
    "output open patterns",
    () =>
      Agent.make({
        id: "a",
        outputSchema: { type: "object", properties: { list: { type: "array", items: patterned } } }
      }),
    `Agent 'a': its outputSchema cannot be described to a model (field 'list'). ${patterns}`
  ],
  [
    "step userInput is a schema",
    () => Step.make({ name: "s", agent: a, userInput: z.object({ day: z.string() }) }),
    "Step 's': userInput takes an object with options, and was given a schema. Write { schema: … } around it"
  ],
  [
    "tool closed patterns beside properties",
    () => Tool.make({ name: "t", parameters: closedPatterned, execute: () => 1 }),
    `Tool 't': its parameters cannot be described to a model. ${patterns}`
  ],
  [
    "tool valibot",
    () => Tool.make({ name: "t", parameters: valibot, execute: () => 1 }),
    "Tool 't': its parameters cannot be described to a model. This valibot schema cannot describe itself as JSON " +
    "Schema. Use toStandardJsonSchema(schema) of @valibot/to-json-schema, an Effect Schema, or give the JSON Schema " +
    "itself."
  ],
  [
    "tool fields as names of types",
    () => Tool.make({ name: "t", parameters: { city: "string" }, execute: () => 1 }),
    "Tool 't': its parameters must be a schema, and it is a map of fields (city). Write z.object({ … }) around the fields, or { type: \"object\", properties: { … } } if they are JSON Schemas"
  ],
  [
    "tool as OpenAI has it",
    () => Tool.make({ name: "t", parameters: { type: "function", function: {} }, execute: () => 1 }),
    "Tool 't': its parameters cannot be described to a model. JSON Schema has no type 'function', but array, boolean, " +
    "integer, null, number, object and string"
  ],
  [
    "tool with types of another language",
    () =>
      Tool.make({ name: "t", parameters: { type: "object", properties: { n: { type: "int" } } }, execute: () => 1 }),
    "Tool 't': its parameters cannot be described to a model (field 'n'). JSON Schema has no type 'int'. Did you " +
    "mean 'integer'?"
  ],
  [
    "tool with types in capital letters",
    () =>
      Tool.make({ name: "t", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } }, execute: () => 1 }),
    "Tool 't': its parameters cannot be described to a model. JSON Schema has no type 'OBJECT'. Did you mean 'object'?"
  ],
  [
    "output with an unknown type in a list",
    () =>
      Agent.make({
        id: "a",
        outputSchema: { type: "object", properties: { list: { type: "array", items: { type: ["null", "banana"] } } } }
      }),
    "Agent 'a': its outputSchema cannot be described to a model (field 'list'). JSON Schema has no type 'banana', but " +
    "array, boolean, integer, null, number, object and string"
  ],
  [
    "output with a type in a definition",
    () =>
      Agent.make({
        id: "a",
        outputSchema: {
          type: "object",
          properties: { at: { $ref: "#/$defs/Day" } },
          $defs: { Day: { type: "object", properties: { day: { type: "date" } } } }
        }
      }),
    "Agent 'a': its outputSchema cannot be described to a model (field 'day'). JSON Schema has no type 'date'. Write " +
    "{ type: \"string\", format: \"date\" }"
  ],
  [
    "tool with required in a field",
    () =>
      Tool.make({
        name: "t",
        parameters: {
          type: "object",
          properties: { trip: { type: "object", properties: { to: { type: "string", required: true } } } }
        },
        execute: () => 1
      }),
    "Tool 't': its parameters cannot be described to a model (field 'trip.to'). required is a list of names. Write " +
    "required: [ \"to\" ] beside properties"
  ],
  [
    "tool union",
    () => Tool.make({ name: "t", parameters: objects, execute: () => 1 }),
    "Tool 't': its parameters must be one object, because models name every argument. It is a choice of 2. Write one " +
    "object, with a field that says which is meant"
  ],
  [
    "tool of the MCP server",
    () => McpServerTool.make({ name: "t", parameters: z.string(), execute: () => 1 }),
    "Tool 't': its parameters must be one object, because assistants name every argument. It is a text. Write " +
    "z.object({ … }) with a field for it"
  ],
  [
    "tool of the MCP server misspelt",
    () => McpServerTool.make({ name: "t", inputSchema: z.object({}), execute: () => 1 }),
    "McpServerTool 't': there is no option 'inputSchema'. Did you mean 'parameters'?"
  ],
  [
    "tool of the MCP server without execute",
    () => McpServerTool.make({ name: "t" }),
    "Tool 't' has no execute"
  ],
  [
    "step userInput without fields",
    () => Step.make({ name: "s", agent: a, userInput: { schema: z.object({}) } }),
    "Step 's': its userInput has no fields. Give its schema one for each value"
  ],
  [
    "factory of texts",
    () => AgentFactory.make({ id: "f", inputSchema: z.union([z.string(), z.number()]), build: () => a }),
    "The agent factory 'f': its inputSchema must be one object, because factory_input is one. It is a choice of string " +
    "and number. Write z.object({ … }) with a field for it"
  ]
]

const described = "Tool 't': its parameters cannot be described to a model"

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

const noMap = "properties is a map of schemas by name, and is a list. Write { name: { type: … } } for each field"

const inside =
  "A JSON Schema has no schemas of a library in it. Write z.object({ … }) around all fields, or this one " +
  "as JSON Schema"

/** JSON Schemas that describe nothing of what their authors have written, with their messages. */
const faults: ReadonlyArray<readonly [name: string, parameters: unknown, message: string]> = [
  ["the format of OpenAI", { name: "f", schema: city, strict: true }, ". The schema is in its 'schema'. Give it alone"],
  [
    "the tool of Anthropic",
    { name: "f", description: "F", input_schema: city },
    ". The schema is in its 'input_schema'. Give it alone"
  ],
  [
    "the function of OpenAI",
    { type: "function", function: { name: "f", parameters: city } },
    ". The schema is in its 'function.parameters'. Give it alone"
  ],
  [
    "the response format of OpenAI",
    { type: "json_schema", json_schema: { name: "f", schema: city } },
    ". The schema is in its 'json_schema.schema'. Give it alone"
  ],
  [
    "other words",
    { strict: true },
    ". strict is no keyword of JSON Schema. Write { type: \"object\", properties: { … } }"
  ],
  [
    "fields beside type",
    { type: "object", city: { type: "string" } },
    ". Its fields (city) are beside properties. Write them in it"
  ],
  [
    "fields beside type in a field",
    { type: "object", properties: { trip: { type: "object", to: z.string() } } },
    " (field 'trip'). Its fields (to) are beside properties. Write them in it"
  ],
  ["a list of properties", { type: "object", properties: [{ name: "a", type: "string" }] }, `. ${noMap}`],
  ["zod in it", { type: "object", properties: { a: { type: "array", items: z.string() } } }, ` (field 'a'). ${inside}`],
  ["Effect in it", { type: "object", properties: { a: Schema.String } }, ` (field 'a'). ${inside}`],
  [
    "a text as required",
    { ...city, required: "city" },
    ". required is a list of names. Write required: [ \"city\" ]"
  ],
  ["required of another field", { ...city, required: ["town"] }, ". required names 'town', which is not in properties"],
  [
    "a description as a field",
    { type: "object", properties: { day: "The day" } },
    " (field 'day'). A schema is an object, and this one is the text 'The day'. Write { type: …, description: … }"
  ],
  [
    "a type as items",
    { type: "object", properties: { days: { type: "array", items: "string" } } },
    " (field 'days'). A schema is an object, and this one is the text 'string'. Write { type: \"string\" }"
  ]
]

/** Valid, though each has something of a mistake. */
const valid: ReadonlyArray<object> = [
  {},
  { description: "Any" },
  { type: "object", properties: { trip: z.toJSONSchema(z.object({ to: z.string() })) } },
  { "x-order": 1 },
  { type: "object" },
  { type: "object", "x-city": { type: "string" }, discriminator: { type: "string" } },
  { ...city, required: ["city", "town"], additionalProperties: true },
  { ...city, required: ["city", "zip"], propertyNames: { pattern: "^[cz]" } },
  { type: "object", required: ["town"] },
  { ...city, allOf: [{ required: ["town"] }] },
  { ...city, anyOf: [{ required: ["city"] }, { properties: { day: {} }, required: ["city", "day"] }] },
  { $ref: "#/$defs/A", properties: { day: { type: "string" } }, required: ["day", "city"], $defs: { A: city } },
  { type: "object", properties: { a: true, b: {}, c: undefined, schema: city, parameters: { type: "string" } } },
  { type: "object", properties: { a: { type: "array", items: [{ type: "string" }, { type: "number" }] } } },
  { type: "object", properties: { a: { type: ["string", "null"] } }, required: [], schema: { type: "string" } },
  { type: "object", properties: { a: { default: { type: "int" }, enum: ["a"], const: "a" } } },
  { type: "object", properties: { required: { type: "string" }, type: { type: "string" } }, required: ["type"] }
]

const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

/** What is one object, in other words. */
const same = [
  { $ref: "#/$defs/B", $defs: { B: { $ref: "#/$defs/A" }, A: place } },
  { description: "outer", anyOf: [{ ...place, description: "inner" }] },
  { oneOf: [place] },
  { allOf: [place] },
  { ...place, type: ["object"] },
  { ...place, type: ["object", "null"] },
  {
    $ref: "#/definitions/A",
    properties: { day: { type: "string" } },
    definitions: { A: { ...place, additionalProperties: false } }
  },
  { $ref: "#/$defs/N", $defs: { N: { ...place, not: { $ref: "#/$defs/N" } } } }
]

/** Words that are data or names of fields, and no keywords. */
const data = {
  type: "object",
  properties: {
    type: { type: "string", enum: ["int"], default: "int", examples: [{ type: "int", required: true }] },
    required: { type: ["boolean", "null"], const: true },
    properties: { type: "object", properties: { type: { type: "integer" } }, required: ["type"] }
  }
}

const fieldsOf = (schema: object) => {
  const { parameters } = Tool.make({ name: "t", parameters: schema, execute: () => 1 }) as {
    readonly parameters: { readonly type: unknown; readonly properties: object }
  }
  AgentFactory.make({ id: "f", inputSchema: schema, build: () => a })
  McpServerTool.make({ name: "t", parameters: schema, execute: () => 1 })
  const { userInput } = Step.make({ name: "s", agent: a, userInput: { schema } }) as {
    readonly userInput: { readonly fields: ReadonlyArray<{ readonly name: string }> }
  }
  return [parameters.type, Object.keys(parameters.properties), userInput.fields.map(({ name }) => name)]
}

describe("mistakes in schemas", () => {
  areRefused(mistakes)

  it.each(faults)("a JSON Schema that describes nothing says what to write: %s", (_, parameters, message) => {
    assert.throws(() => Tool.make({ name: "t", parameters, execute: () => 1 }), described + message)
  })

  it("descriptions in place of fields are a map of fields", () => {
    assert.throws(
      () => Tool.make({ name: "t", parameters: { city: "The city", day: "The day" }, execute: () => 1 }),
      "Tool 't': its parameters must be a schema, and it is a map of fields (city, day)."
    )
  })

  it.each(valid)("a valid JSON Schema is accepted: %j", (schema) => {
    Agent.make({ id: "a", outputSchema: schema })
  })

  it("types and required count as keywords only, and not as names and data", () => {
    Tool.make({ name: "t", parameters: data, execute: () => 1 })
    Agent.make({ id: "a", outputSchema: data })
  })

  it.each(same)("what is one object in other words is accepted everywhere: %j", (schema) => {
    assert.deepStrictEqual(fieldsOf(schema), ["object", ["city"], ["city"]])
  })
})
