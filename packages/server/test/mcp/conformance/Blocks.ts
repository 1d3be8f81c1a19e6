// Content blocks of the conformance fixtures.
import { McpSchema } from "effect/ai"
import type { Block } from "./Tool.ts"

export const redPixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
export const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, "base64"))
export const image = McpSchema.ImageContent.make({ type: "image", data: bytes(redPixel), mimeType: "image/png" })

export const resource = (uri: string, mimeType: string, text: string): Block =>
  McpSchema.EmbeddedResource.make({
    type: "resource",
    resource: McpSchema.TextResourceContents.make({ uri, mimeType, text })
  })

export const message = (content: Block) => McpSchema.PromptMessage.make({ role: "user", content } as never)
