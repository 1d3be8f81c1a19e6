// The tools that the conformance suite of the protocol calls.
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { bytes, image, resource } from "./Blocks.ts"
import * as InputRequired from "./InputRequired.ts"
import { says, text, type Tool } from "./Tool.ts"

const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
const audio = McpSchema.AudioContent.make({ type: "audio", data: bytes(silence), mimeType: "audio/wav" })
const nothing: McpSchema.ToolJson = { type: "object", properties: {} }

const strings = (...names: ReadonlyArray<string>): McpSchema.ToolJson => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names
})

const simple: ReadonlyArray<Tool> = [
  {
    name: "test_simple_text",
    handle: () => Effect.succeed(says(text("This is a simple text response for testing.")))
  },
  { name: "test_image_content", handle: () => Effect.succeed(says(image)) },
  { name: "test_audio_content", handle: () => Effect.succeed(says(audio)) },
  {
    name: "test_embedded_resource",
    handle: () =>
      Effect.succeed(says(resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")))
  },
  {
    name: "test_multiple_content_types",
    handle: () =>
      Effect.succeed(says(
        text("Multiple content types test:"),
        image,
        resource("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 }))
      ))
  },
  {
    name: "test_error_handling",
    handle: () =>
      Effect.succeed(McpSchema.CallToolResult.make({
        isError: true,
        content: [text("This tool intentionally returns an error for testing")]
      }))
  },
  {
    name: "json_schema_2020_12_tool",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } }
        }
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" }
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false
    },
    handle: (given) => Effect.succeed(says(text(JSON.stringify(given))))
  },
  {
    name: "test_custom_header_tool",
    inputSchema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"]
    },
    handle: (given) => Effect.succeed(says(text(JSON.stringify(given))))
  }
]

const logging = (name: string, server: McpServer.McpServer["Service"]): Tool => ({
  name,
  handle: () =>
    Effect.gen(function*() {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        yield* server.notifications["notifications/message"]({ level: "info", data })
      }
      return says(text("Logged three times"))
    })
})

const triggering = (
  name: string,
  trigger: Effect.Effect<void>
): Tool => ({ name, handle: () => Effect.as(trigger, says(text("Done"))) })

const notifying = (server: McpServer.McpServer["Service"]): ReadonlyArray<Tool> => [
  logging("test_tool_with_logging", server),
  logging("test_logging_tool", server),
  triggering("test_trigger_tool_change", server.notifications["notifications/tools/list_changed"]({})),
  triggering("test_trigger_prompt_change", server.notifications["notifications/prompts/list_changed"]({})),
  {
    name: "test_tool_with_progress",
    handle: () =>
      Effect.gen(function*() {
        const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
        const context = yield* McpSchema.McpRequestContext
        const metadata = client._tag === "Some" ? client.value.requestMetadata : context.requestMetadata
        const progressToken = metadata?.["progressToken"] as string | undefined
        for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
          yield* server.notifications["notifications/progress"]({ progressToken: progressToken!, progress, total: 100 })
        }
        return says(text(String(progressToken)))
      })
  }
]

/** Asks the client, in the middle of a call. */
const asking = <A>(ask: (client: McpSchema.McpReverseClient) => Effect.Effect<A, unknown>) =>
  Effect.gen(function*() {
    const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
    if (client._tag === "None") return yield* new McpSchema.InternalError({ message: "This needs a session" })
    const reverse = yield* client.value.getClient
    return yield* Effect.mapError(ask(reverse), (error) => new McpSchema.InternalError({ message: String(error) }))
  }).pipe(Effect.scoped)

const formOf = Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)

const elicit = (message: string, requestedSchema: unknown) =>
  asking((client) => Effect.flatMap(formOf({ mode: "form", message, requestedSchema }), client.elicit))

const clientTools: ReadonlyArray<Tool> = [
  {
    name: "test_sampling",
    inputSchema: strings("prompt"),
    handle: ({ prompt = "" }) =>
      asking((client) =>
        client.createMessage(
          { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 } as never
        )
      ).pipe(Effect.map(({ content }) => says(text(`LLM response: ${(content as { readonly text?: string }).text}`))))
  },
  {
    name: "test_elicitation",
    inputSchema: strings("message"),
    handle: ({ message = "" }) =>
      Effect.map(
        elicit(message, {
          type: "object",
          properties: {
            username: { type: "string", description: "User's response" },
            email: { type: "string", description: "User's email address" }
          },
          required: ["username", "email"]
        }),
        (answer) => says(text(`User response: ${JSON.stringify(answer)}`))
      )
  },
  {
    name: "test_elicitation_sep1034_defaults",
    handle: () =>
      Effect.map(
        elicit("Defaults", {
          type: "object",
          properties: {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true }
          },
          required: []
        }),
        (answer) => says(text(`Elicitation completed: ${JSON.stringify(answer)}`))
      )
  },
  {
    name: "test_elicitation_sep1330_enums",
    handle: () =>
      Effect.map(
        elicit("Choices", {
          type: "object",
          properties: {
            untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
            titledSingle: {
              type: "string",
              oneOf: ["First", "Second", "Third"].map((name, index) => ({
                const: `value${index + 1}`,
                title: `${name} Option`
              }))
            },
            legacyEnum: {
              type: "string",
              enum: ["opt1", "opt2", "opt3"],
              enumNames: ["Option One", "Option Two", "Option Three"]
            },
            untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
            titledMulti: {
              type: "array",
              items: {
                anyOf: ["First", "Second", "Third"].map((name, index) => ({
                  const: `value${index + 1}`,
                  title: `${name} Choice`
                }))
              }
            }
          },
          required: []
        }),
        (answer) => says(text(`Elicitation completed: ${JSON.stringify(answer)}`))
      )
  }
]

export const tools = (withTasks: ReadonlyArray<Tool>) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    for (
      const { handle, inputSchema = nothing, name } of [
        ...simple,
        ...notifying(server),
        ...clientTools,
        ...InputRequired.tools,
        ...withTasks
      ]
    ) {
      yield* server.addTool({
        tool: new McpSchema.Tool({ name, description: `${name} of the conformance suite`, inputSchema }),
        annotations: Context.empty(),
        handle: (given) => handle(given ?? {})
      })
    }
  }))
