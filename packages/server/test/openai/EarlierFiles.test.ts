// Files in the messages before the last one, of clients that send the whole conversation each time.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { post, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

const url = "data:image/png;base64,iVBORw0KGgo="
const leftOut = "(A file is left out here: image/png.)"

const completions = {
  path: "/v1/chat/completions",
  input: (image: unknown) => ({
    messages: [
      { role: "user", content: [{ type: "text", text: "look" }, image] },
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "photo", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content: [image] },
      { role: "assistant", content: "I see." },
      { role: "user", content: "And now?" }
    ]
  }),
  image: { type: "image_url", image_url: { url } }
}

const responses = {
  path: "/v1/responses",
  input: (image: unknown) => ({
    input: [
      { role: "user", content: [{ type: "input_text", text: "look" }, image] },
      { type: "function_call", call_id: "c", name: "photo", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: [image] },
      { role: "assistant", content: "I see." },
      { role: "user", content: "And now?" }
    ]
  }),
  image: { type: "input_image", image_url: url }
}

describe.each([completions, responses])("files of earlier messages in a request of $path", ({ image, input, path }) => {
  it.effect("a line says that they are left out, in the message and in the result of a tool", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      const answered = yield* post(server, path, { model: "plain", ...input(image) })
      assert.strictEqual(answered.status, 200, answered.text)
      const prompt = JSON.stringify((yield* script.prompts)[0])
      assert.include(prompt, JSON.stringify(`look\n${leftOut}`))
      assert.include(prompt, `"result":${JSON.stringify(leftOut)}`)
      assert.notInclude(prompt, "iVBORw0KGgo")
    }))
})
