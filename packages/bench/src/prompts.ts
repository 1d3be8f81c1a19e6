// Tokens of a session of 30 turns with 40 tools, as providers bill them: with the option `promptCache` and without. The
// provider is scripted and counts cached prefixes as Anthropic and OpenAI do. The figures do not depend on the machine.
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import { Agent, Tool } from "@svc-runtime/server"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as CachedPrompts from "@svc-runtime/test-support/wire/CachedPrompts"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { testService } from "@svc-runtime/testing"
import { Effect, Redacted } from "effect"

const turns = 30

const words = (count: number, seed: string): string =>
  Array.from({ length: count }, (_, index) => `${seed}${(index * 7919) % 997}`).join(" ")

const tools = Array.from({ length: 40 }, (_, index) =>
  Tool.make({
    name: `tool_${index}`,
    description: `Reads records of the kind ${index}. ${words(40, "about")}`,
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: words(8, "what") }, limit: { type: "integer" } },
      required: ["query"]
    },
    effects: "read",
    execute: ({ query }: Record<string, unknown>) => `${String(query)}: ${words(150, "row")}`
  }))

const key = Redacted.make("key")

const openAi = {
  format: OpenAiChat.format,
  ref: "openai-compatible:gpt-5",
  settings: (openaiBaseUrl: string) => ({ openaiApiKey: key, openaiBaseUrl }),
  read: 0.25,
  write: 1
}

/** With the prices of what is read from a cache and written to it, as parts of that of an input token. */
const wires = {
  Anthropic: {
    format: AnthropicMessages.format,
    count: CachedPrompts.anthropic,
    ref: "anthropic:claude-sonnet-4-5",
    settings: (anthropicBaseUrl: string) => ({ anthropicApiKey: key, anthropicBaseUrl }),
    read: 0.1,
    write: 1.25
  },
  "OpenAI, tools first": { ...openAi, count: CachedPrompts.openAi("tools") },
  "OpenAI, instructions first": { ...openAi, count: CachedPrompts.openAi("instructions") }
}

/** Calls one tool for each message of the user, then answers. */
const replyTo = (body: Readonly<Record<string, unknown>>, number: number, usage: Reply.TokenUsage): Reply.Reply => {
  const isCalled = JSON.stringify((body["messages"] as ReadonlyArray<unknown>).at(-1)).includes("row")
  return isCalled
    ? Reply.answer({ text: [`Answer ${number}. ${words(60, "word")}`], usage })
    : Reply.answer({
      toolCalls: [{
        id: `c${number}`,
        name: `tool_${number % 40}`,
        arguments: [JSON.stringify({ query: `q${number}` })]
      }],
      usage
    })
}

interface Billed {
  readonly tokens: number
  readonly rate: number
}

const session = (
  name: keyof typeof wires,
  options: Pick<Agent.Options, "numHistoryRuns" | "promptCache">
): Promise<Billed> =>
  Effect.gen(function*() {
    const { count: counting, format, read: readPrice, ref, settings, write: writePrice } = wires[name]
    const count = counting()
    let [input, read, written, number] = [0, 0, 0, 0]
    const server = yield* WireServer.make(format, "/v1", ({ body }) => {
      const counted = count(body)
      input += counted.input
      read += counted.cacheRead
      written += counted.cacheWrite
      return replyTo(body, number++, { ...counted, output: 100 })
    })
    const model = yield* Effect.provide(
      ModelCatalog.use((catalog) => catalog.resolve(ref)),
      ModelCatalog.layer(settings(server.url))
    )
    const agent = Agent.make({
      id: "agent",
      model,
      instructions: words(400, "rule"),
      addDatetimeToContext: true,
      addHistoryToContext: true,
      tools,
      ...options
    })
    yield* Effect.promise(async () => {
      const service = await testService({ agents: [agent] })
      for (let turn = 0; turn < turns; turn++) {
        await service.run(agent, { message: `Question ${turn}: ${words(30, "ask")}`, session_id: "session" })
        await service.advance("1 minute")
      }
      await service.close()
    })
    const tokens = input - read - written + read * readPrice + written * writePrice
    return { tokens: Math.round(tokens), rate: read / input }
  }).pipe(Effect.scoped, Effect.runPromise)

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

for (const name of Object.keys(wires) as ReadonlyArray<keyof typeof wires>) {
  for (const numHistoryRuns of [3, 10, turns]) {
    const [before, after] = await Promise.all([
      session(name, { numHistoryRuns }),
      session(name, { numHistoryRuns, promptCache: "auto" })
    ])
    process.stdout.write(
      `${name}, ${numHistoryRuns} runs of history: ${before.tokens} billed tokens (${
        percent(before.rate)
      } read) before, ` +
        `${after.tokens} (${percent(after.rate)} read) after: ${percent(after.tokens / before.tokens)}\n`
    )
  }
}
