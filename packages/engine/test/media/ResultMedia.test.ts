// Media of results of tools: stored once, listed by the run, and given to the model as addresses.
import { assert, describe, it } from "@effect/vitest"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { linesOf, run } from "../../../agents/test/agent/Harness.ts"
import { ByteLimits, defaultByteLimits } from "../../src/limits/ByteLimits.ts"
import * as AiSdkTool from "../../src/tool/AiSdkTool.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { keeping } from "./Keeping.ts"

const bytes = new Uint8Array([1, 2, 3])
const id = createHash("sha256").update(bytes).digest("hex")
const listed = { id, url: `/media/${id}`, mime_type: "image/png", format: "png", size: 3 }

const paint = Tool.make({
  name: "paint",
  effects: "read",
  execute: () => Tool.withMedia("A cat", [{ bytes, mediaType: "image/png" }])
})

const turns: ReadonlyArray<Script.Turn> = [[Script.toolCall("paint", {})], [Script.text("Done")]]

describe("a result of a tool with an image", () => {
  it.effect("the run lists the image, and the model reads the text and the address", () =>
    Effect.gen(function*() {
      const { calls, output } = yield* run({ tools: [paint] }, turns, { media: keeping() })
      assert.deepStrictEqual(output.images, [listed])
      assert.strictEqual(linesOf(calls[1]).at(-1), `tool: result A cat\n[image/png, 3 bytes: /media/${id}]`)
    }))

  it.effect("a run that is resumed lists the image of a call before the crash", () =>
    Effect.gen(function*() {
      const media = keeping()
      const { journal } = yield* run({ tools: [paint] }, turns, { media })
      for (const journaled of [journal, journal.slice(0, 2)]) {
        const { output } = yield* run({ tools: [paint] }, [[Script.text("Done")]], { media, journaled })
        assert.deepStrictEqual(output.images, [listed])
      }
    }))

  it.effect("media beyond the limit are a failure that the model reads", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [paint] }, turns, { media: keeping() }).pipe(
        Effect.provideService(ByteLimits, { ...defaultByteLimits, media: 2 })
      )
      assert.strictEqual(output.status, "COMPLETED")
      assert.isUndefined(output.images)
      assert.strictEqual(output.tools?.[0]?.result, "The media of the result is larger than 2 bytes (MEDIA_MAX_BYTES)")
    }))

  it.effect("what is no medium is a failure that the model reads", () =>
    Effect.gen(function*() {
      const execute = () => Tool.withMedia("A cat", [{ bytes: "AQID" as never, mediaType: "image/png" }])
      const { output } = yield* run({ tools: [Tool.make({ name: "paint", execute })] }, turns, { media: keeping() })
      assert.strictEqual(output.tools?.[0]?.result, "A medium of a tool has bytes (a Uint8Array) and a mediaType")
    }))

  it.effect.each<[string, object]>([
    ["media", { type: "media", data: "AQID", mediaType: "image/png" }],
    ["file-data", { type: "file-data", data: "AQID", mediaType: "image/png" }],
    ["file", { type: "file", data: { type: "data", data: "AQID" }, mediaType: "image/png" }]
  ])("a part %s of toModelOutput of a tool of the AI SDK is an image of the run", ([, part]) =>
    Effect.gen(function*() {
      const tool = AiSdkTool.make("paint", {
        inputSchema: { jsonSchema: { type: "object" } },
        execute: () => ({}),
        toModelOutput: () => ({ type: "content", value: [{ type: "text", text: "A cat" }, part] })
      })
      const { output } = yield* run({ tools: [tool] }, turns, { media: keeping() })
      assert.deepStrictEqual(output.images, [listed])
      assert.strictEqual(output.tools?.[0]?.result, `A cat\n[image/png, 3 bytes: /media/${id}]`)
    }))
})
