// Answers of a real model, recorded once and played back.
import { createOpenAI } from "@ai-sdk/openai"
import { Agent, Tool } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Config, Effect } from "effect"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { assertCompleted, assertToolCalls, recordedModel, testService } from "../src/index.ts"

Tier.oneIn(3)

const key = "sk-secret-of-the-author"

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${
    JSON.stringify({ id: "chat-1", created: 1, model: "gpt-5-mini", choices: [{ index: 0, delta, finish_reason }] })
  }\n\n`

const call = {
  index: 0,
  id: "call-7",
  type: "function",
  function: { name: "weather", arguments: "{\"city\":\"Paris\"}" }
}

const answers = [
  chunk({ role: "assistant", tool_calls: [call] }) + chunk({}, "tool_calls"),
  chunk({ role: "assistant", content: "Take your " }) + chunk({ content: "sunglasses." }) + chunk({}, "stop")
]

/** A provider that answers twice and counts its requests. */
const provider = () => {
  const requests: Array<string> = []
  const openai = createOpenAI({
    apiKey: key,
    fetch: (_, init) => {
      requests.push(new Headers(init?.headers).get("authorization") ?? "")
      const body = `${answers[requests.length - 1] ?? ""}data: [DONE]\n\n`
      return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }))
    }
  })
  return { requests, model: openai.chat("gpt-5-mini") }
}

const weather = Tool.make({
  name: "weather",
  effects: "read",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => `It is sunny in ${String(city)}`
})

const runWith = async (model: Agent.Options["model"], message = "How is the weather in Paris?") => {
  await using service = await testService({ agents: [Agent.make({ id: "assistant", model, tools: [weather] })] })
  return await service.agent("assistant").run(message)
}

const emptyFile = () => join(mkdtempSync(join(tmpdir(), "recorded-")), "of", "weather.json")

describe("a recorded model", () => {
  it("an answer is asked for once, and played back with its chunks and its calls of tools", async () => {
    const file = emptyFile()
    const real = provider()
    const first = await runWith(recordedModel({ file, model: real.model, record: true }))
    assertCompleted(first)
    assert.deepStrictEqual(real.requests, [`Bearer ${key}`, `Bearer ${key}`])
    const silent = provider()
    const again = await runWith(recordedModel({ file, model: silent.model, record: false }))
    assertToolCalls(again, [{ name: "weather", result: "It is sunny in Paris" }])
    assert.strictEqual(again.content, "Take your sunglasses.")
    const chunks = again.events.flatMap((event) => event.event === "RunContent" ? [event.content] : [])
    assert.deepStrictEqual(chunks, ["Take your ", "sunglasses."])
    assert.deepStrictEqual(silent.requests, [])
  })

  it("the variable SVC_RECORD records too, and no variable plays back", async () => {
    const file = emptyFile()
    const real = provider()
    // something has read the environment before
    Effect.runSync(Config.withDefault(Config.String("SVC_UNSET"), ""))
    process.env["SVC_RECORD"] = "true"
    await runWith(recordedModel({ file, model: real.model })).finally(() => delete process.env["SVC_RECORD"])
    assertCompleted(await runWith(recordedModel({ file, model: real.model })))
    assert.lengthOf(real.requests, 2)
  })

  it("the file has neither the key, nor the prompt, nor headers", async () => {
    const file = emptyFile()
    await runWith(recordedModel({ file, model: provider().model, record: true }))
    const text = readFileSync(file, "utf8")
    for (const secret of [key, "How is the weather", "authorization", "content-type"]) assert.notInclude(text, secret)
    assert.include(text, "sunglasses.")
  })

  it("a request without a recorded answer fails without a request to the model, and says what to do", async () => {
    const file = emptyFile()
    await runWith(recordedModel({ file, model: provider().model, record: true }))
    const silent = provider()
    const run = await runWith(recordedModel({ file, model: silent.model, record: false }), "And in Rome?")
    assert.strictEqual(run.status, "ERROR")
    assert.strictEqual(
      run.content,
      `${file} has no answer to this request. Run the test once with SVC_RECORD=true and the key of the model, and ` +
        "commit the file"
    )
    assert.deepStrictEqual(silent.requests, [])
  })

  it("a file that is no recording is named, and not overwritten", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "recorded-")), "weather.json")
    for (const text of ["", "{}", "[1]", "{\"version\":2,\"answers\":[]}"]) {
      writeFileSync(file, text)
      const run = await runWith(recordedModel({ file, model: provider().model, record: true }))
      assert.strictEqual(run.content, `${file} has no recorded answers. Remove it, and record them again`)
      assert.strictEqual(readFileSync(file, "utf8"), text)
    }
  })

  it("parts that a hand has broken end the run, and no answer is made up", async () => {
    const file = emptyFile()
    await runWith(recordedModel({ file, model: provider().model, record: true }))
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("\"tool-call\"", "\"nonsense\""))
    const run = await runWith(recordedModel({ file, model: provider().model, record: false }))
    assert.strictEqual(run.status, "ERROR")
  })
})
