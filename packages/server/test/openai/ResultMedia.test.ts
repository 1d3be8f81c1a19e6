// Images in the results of functions that a client executes: the model gets them as those of tools of the service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, post, serve } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"

Tier.oneIn(2)

const bytes = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const url = `data:image/png;base64,${bytes}`
const parameters = { type: "object", properties: {} }
const photo = { name: "photo", parameters }

const serving = Effect.gen(function*() {
  const script = yield* toolUser(Script.toolCall("photo", {}, "c1"))
  return { script, server: yield* serve({ agents: [Agent.make({ id: "a", model: script.model, showMedia: true })] }) }
})

type Serving = Effect.Success<typeof serving>

const completions = Effect.fnUntraced(function*({ server }: Serving, content: ReadonlyArray<object>) {
  const ask = (...messages: ReadonlyArray<unknown>) =>
    post(server, "/v1/chat/completions", {
      model: "a",
      messages: [{ role: "user", content: "look" }, ...messages],
      tools: [{ type: "function", function: photo }]
    })
  const message = at((yield* ask()).json, "choices", 0, "message")
  return yield* ask(message, { role: "tool", tool_call_id: at(message, "tool_calls", 0, "id"), content })
})

const responses = Effect.fnUntraced(function*({ server }: Serving, output: ReadonlyArray<object>) {
  const tools = [{ type: "function", ...photo, strict: false }]
  const { json } = yield* post(server, "/v1/responses", { model: "a", input: "look", tools })
  return yield* post(server, "/v1/responses", {
    model: "a",
    previous_response_id: at(json, "id"),
    input: [{ type: "function_call_output", call_id: at(json, "output", 0, "call_id"), output }]
  })
})

const apis = [
  ["chat completions", completions, "text", { type: "image_url", image_url: { url } }],
  ["responses", responses, "input_text", { type: "input_image", image_url: url }]
] as const

describe.each(apis)("results with images, in %s", (_, answer, type, image) => {
  for (const [what, texts] of [["with text", [{ type, text: "a cat" }]], ["alone", []]] as const) {
    it.effect(`the model gets the image ${what} as a part of the result`, () =>
      Effect.gen(function*() {
        const service = yield* serving
        const answered = yield* answer(service, [...texts, image])
        assert.strictEqual(answered.status, 200, answered.text)
        const [result] = (yield* service.script.prompts).at(-1)!.at(-1)!.content as ReadonlyArray<unknown>
        assert.strictEqual(at(result, "modelOutput", 1, "mediaType"), "image/png")
        assert.notInclude(String(at(result, "result")), bytes)
        if (texts.length > 0) assert.include(String(at(result, "result")), "a cat")
      }))
  }
})
