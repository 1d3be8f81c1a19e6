// The files of a message that begins a run.
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as RunAgentInput from "../../src/agui/RunAgentInput.ts"

const filesOf = (...content: ReadonlyArray<object>) => {
  const request = { threadId: "t", runId: "r", messages: [{ role: "user", content }] }
  return RunAgentInput.inputOf(Schema.decodeUnknownSync(RunAgentInput.RunAgentInput)(request))?.files
}

describe("the files of a message", () => {
  it("a file that only its provider can read is left out, and the others are kept", () => {
    const source = { type: "data", value: "aGk=", mimeType: "image/png" }
    const files = filesOf(
      { type: "text", text: "hi" },
      { type: "image", source: { type: "file", value: "file-1", provider: "openai", mimeType: "image/png" } },
      { type: "binary", mimeType: "image/png", id: "file-2" },
      { type: "image", source }
    )
    expect(files).toEqual([{ url: "data:image/png;base64,aGk=", mediaType: "image/png" }])
  })
})
