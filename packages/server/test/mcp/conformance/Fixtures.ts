// What the conformance suite of the protocol wants to find on a server: tools, resources and prompts under names of its
// own. They are mounted in the same HTTP stack as the service's tools, so that what is measured is that stack.
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { bytes, image, message, redPixel, resource } from "./Blocks.ts"
import * as InputRequired from "./InputRequired.ts"
import { text, type Tool } from "./Tool.ts"
import { tools } from "./ToolFixtures.ts"

const contents = (content: McpSchema.TextResourceContents | McpSchema.BlobResourceContents) =>
  Effect.succeed(McpSchema.ReadResourceResult.make({ contents: [content] }))

const textual = (uri: string, mimeType: string, text: string) =>
  contents(McpSchema.TextResourceContents.make({ uri, mimeType, text }))

const resources = Layer.mergeAll(
  McpServer.resource({
    uri: "test://static-text",
    name: "Static text",
    description: "A text that does not change",
    mimeType: "text/plain",
    content: textual("test://static-text", "text/plain", "This is the content of the static text resource.")
  }),
  McpServer.resource({
    uri: "test://static-binary",
    name: "Static bytes",
    description: "A picture that does not change",
    mimeType: "image/png",
    content: contents(
      McpSchema.BlobResourceContents.make({ uri: "test://static-binary", mimeType: "image/png", blob: bytes(redPixel) })
    )
  }),
  McpServer.resource({
    uri: "test://watched-resource",
    name: "Watched",
    description: "To be subscribed to",
    mimeType: "text/plain",
    content: Effect.succeed("Nothing has happened.")
  }),
  McpServer.resource`test://template/${McpSchema.param("id", Schema.String)}/data`({
    name: "Template",
    description: "With an id in it",
    mimeType: "application/json",
    content: (uri, id) =>
      textual(uri, "application/json", JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
  })
)

const prompts = Layer.mergeAll(
  McpServer.prompt({
    name: "test_simple_prompt",
    description: "One message",
    content: () => Effect.succeed("This is a simple prompt for testing.")
  }),
  McpServer.prompt({
    name: "test_prompt_with_arguments",
    description: "Two arguments",
    parameters: { arg1: Schema.String, arg2: Schema.String },
    completion: {
      arg1: (input) => Effect.succeed(["paris", "park", "party"].filter((word) => word.startsWith(input)))
    },
    content: ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
  }),
  McpServer.prompt({
    name: "test_prompt_with_embedded_resource",
    description: "A resource inside",
    parameters: { resourceUri: Schema.String },
    content: ({ resourceUri }) =>
      Effect.succeed([
        message(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
        message(text("Please process the embedded resource above."))
      ])
  }),
  McpServer.prompt({
    name: "test_prompt_with_image",
    description: "A picture inside",
    content: () => Effect.succeed([message(image), message(text("Please analyze the image above."))])
  })
)

const askingPrompt = Layer.effectDiscard(Effect.gen(function*() {
  const server = yield* McpServer.McpServer
  yield* server.addPrompt({
    prompt: new McpSchema.Prompt({
      name: "test_input_required_result_prompt",
      description: "Asks first",
      arguments: []
    }),
    annotations: Context.empty(),
    completions: {},
    handle: () => InputRequired.prompt
  })
}))

export const layer = (withTasks: ReadonlyArray<Tool>) =>
  Layer.mergeAll(tools(withTasks), resources, prompts, askingPrompt)
