import { assert, describe, it } from "@effect/vitest"
import { readsOf, typeOf } from "../src/ReadableMedia.ts"

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

describe("media that models read", () => {
  it.each([
    ["anthropic.messages", "claude-sonnet-4-5", "png jpeg gif pdf"],
    ["amazon-bedrock", "eu.anthropic.claude-haiku-4-5-v1:0", "png jpeg gif pdf"],
    ["openai.responses", "gpt-5-nano", "png jpeg gif pdf"],
    ["openai.chat", "o3-mini", ""],
    ["google.generative-ai", "gemini-2.5-pro", "png jpeg pdf"],
    ["openaiCompatible.chat", "openai/gpt-4o", "png jpeg gif"],
    ["openaiCompatible.chat", "Qwen/Qwen2.5-VL-7B-Instruct", "png jpeg gif"],
    ["openaiCompatible.chat", "gpt-oss-120b", ""],
    ["openai.chat", "gpt-3.5-turbo", ""],
    ["anthropic.messages", "claude-2.1", ""],
    ["ollama", "qwen3:8b", ""],
    ["deepseek.chat", "deepseek-chat", ""]
  ])("the model %s %s is known to read: %s", (provider, model, known) => {
    const reads = readsOf(provider, model)
    const types = ["image/png", "image/jpeg", "image/gif", "application/pdf", "audio/wav"]
    const found = types.filter((type) => reads(type)).map((type) => type.split("/")[1])
    assert.strictEqual(found.join(" "), known)
  })

  it.each([
    ["\u0089PNG\r\n\u001a\n", "image/png"],
    ["\u00ff\u00d8\u00ff\u00e0", "image/jpeg"],
    ["GIF89a", "image/gif"],
    ["RIFF1234WEBPVP8 ", "image/webp"],
    ["%PDF-1.7", "application/pdf"],
    ["RIFF1234WAVE", undefined],
    ["", undefined]
  ])("the type of %j is %s", (text, type) => {
    assert.strictEqual(typeOf(bytesOf(text)), type)
  })
})
