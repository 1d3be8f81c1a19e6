// A model without a network, to try the service: it calls a tool that matches the message, answers with the result,
// supports JSON formats, and always says that it is a demo and how to set a real model. Its answers and arguments
// depend only on the prompt.
import { Effect, Stream } from "effect"
import { IdGenerator, LanguageModel, Tool } from "effect/ai"
import type { AiError, Prompt, Response } from "effect/ai"
import * as AiSdkTools from "./AiSdkTools.ts"
import * as DemoArguments from "./DemoArguments.ts"
import * as DemoJudge from "./DemoJudge.ts"
import * as DemoKnowledge from "./DemoKnowledge.ts"
import * as DemoMemories from "./DemoMemories.ts"
import * as DemoSummaries from "./DemoSummaries.ts"
import * as DemoTool from "./DemoTool.ts"
import { ResponseFormat } from "./Model.ts"
import type { Model } from "./Model.ts"

export const name = { id: "demo", name: "DemoModel", provider: "Demo" } as const

const notice = "(This is the demo model: it runs inside the service and understands very little. " +
  "For a real one set MODEL=openai:gpt-5 and OPENAI_API_KEY, or the model and key of another provider.)"

interface Turn {
  readonly message: string
  readonly files: number
  readonly results: ReadonlyArray<Prompt.ToolResultPart>
}

type Answer =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Call"; readonly name: string; readonly params: unknown }

const textOf = (message: Prompt.UserMessage): string =>
  message.content.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n")

const systemOf = (prompt: Prompt.Prompt): string =>
  prompt.content.flatMap((message) => message.role === "system" ? [message.content] : []).join("\n")

/** The last message of the user and the results of the tools since then. */
const lastTurn = (prompt: Prompt.Prompt): Turn => {
  const at = prompt.content.findLastIndex((message) => message.role === "user")
  const message = prompt.content[at]
  const results = prompt.content.slice(at + 1).flatMap((message) => {
    if (message.role !== "tool") return []
    return message.content.filter((part) => part.type === "tool-result")
  })
  return message?.role === "user"
    ? { message: textOf(message), files: message.content.filter((part) => part.type === "file").length, results }
    : { message: "", files: 0, results }
}

const shown = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "nothing"

const sayResults = (results: ReadonlyArray<Prompt.ToolResultPart>): string =>
  results.map(({ isFailure, name, result }) => {
    if (isFailure) return `The tool ${name} failed: ${shown(result)}`
    const found = name === DemoKnowledge.toolName ? DemoKnowledge.say(result) : undefined
    return found ?? `The tool ${name} says: ${shown(result)}`
  }).join("\n")

const sayPlain = ({ files, message }: Turn): string => {
  const attached = files === 0 ? "" : ` with ${files} file${files === 1 ? "" : "s"}`
  return message.trim() === ""
    ? `Hello! You sent an empty message${attached}.`
    : `You said${attached}: ${message.trim()}`
}

const findTool = (options: LanguageModel.ProviderOptions, message: string): Tool.Any | undefined => {
  const { toolChoice, tools } = options
  if (toolChoice === "none") return undefined
  if (typeof toolChoice === "object" && "tool" in toolChoice) return tools.find(({ name }) => name === toolChoice.tool)
  const isForced = toolChoice === "required" || (typeof toolChoice === "object" && toolChoice.mode === "required")
  return DemoTool.find(tools, message) ?? (isForced ? tools[0] : undefined)
}

const answer = (options: LanguageModel.ProviderOptions, context: ResponseFormat): Answer => {
  const turn = lastTurn(options.prompt)
  if (turn.results.length === 0) {
    const tool = findTool(options, turn.message)
    if (tool !== undefined) {
      return { _tag: "Call", name: tool.name, params: DemoArguments.make(Tool.getJsonSchema(tool), turn.message) }
    }
  }
  const format = AiSdkTools.format(options.responseFormat, context)
  const system = systemOf(options.prompt)
  if (format.type === "json" && format.name === DemoMemories.formatName) {
    return { _tag: "Text", text: JSON.stringify(DemoMemories.changes(turn.message, system)) }
  }
  if (format.type === "json" && format.name === DemoMemories.learningFormat) {
    return { _tag: "Text", text: JSON.stringify(DemoMemories.learned(turn.message, system, format.schema)) }
  }
  if (format.type === "json" && format.name === DemoSummaries.formatName) {
    return { _tag: "Text", text: JSON.stringify(DemoSummaries.summary(turn.message, system)) }
  }
  if (format.type === "json" && format.name === DemoJudge.scoreFormat) {
    return { _tag: "Text", text: JSON.stringify(DemoJudge.score(turn.message)) }
  }
  if (format.type === "json" && format.name === DemoJudge.verdictFormat) {
    return { _tag: "Text", text: JSON.stringify(DemoJudge.verdict(turn.message)) }
  }
  if (format.type === "json") {
    return { _tag: "Text", text: JSON.stringify(DemoArguments.make(format.schema ?? {}, turn.message)) }
  }
  const memories = DemoMemories.shownIn(system)
  const learned = DemoMemories.learnedIn(system)
  const earlier = DemoSummaries.shownIn(system)
  const found = DemoKnowledge.shownIn(system)
  const plain = [
    sayPlain(turn),
    ...(found === undefined ? [] : [`The knowledge base says: ${found}`]),
    ...(memories.length === 0 ? [] : [`I know about you: ${memories.join("; ")}`]),
    ...(learned.length === 0 ? [] : [`I have learned: ${learned.join("; ")}`]),
    ...(earlier === "" ? [] : [`Earlier in this session: ${earlier}`])
  ].join("\n")
  const text = turn.results.length > 0 ? sayResults(turn.results) : plain
  return { _tag: "Text", text: `${text}\n\n${notice}` }
}

/** About four characters make a token. */
const tokens = (length: number): number => Math.ceil(length / 4)

const finish = (options: LanguageModel.ProviderOptions, answer: Answer): Response.FinishPartEncoded => {
  const input = tokens(JSON.stringify(options.prompt.content).length)
  const output = tokens(answer._tag === "Text" ? answer.text.length : JSON.stringify(answer.params).length)
  return {
    type: "finish",
    reason: answer._tag === "Call" ? "tool-calls" : "stop",
    usage: {
      inputTokens: { uncached: input, total: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: output, text: output, reasoning: 0 }
    }
  }
}

const toolCall = (call: Extract<Answer, { _tag: "Call" }>, id: string): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id,
  name: call.name,
  params: call.params
})

const metadata: Response.ResponseMetadataPartEncoded = { type: "response-metadata", modelId: name.id }

/** Pieces of up to three words, with the spaces behind them. */
const chunks = (text: string): ReadonlyArray<string> => text.match(/(?:\S+\s*){1,3}|\s+/g) ?? [text]

const decide = Effect.fnUntraced(function*(options: LanguageModel.ProviderOptions) {
  const decided = answer(options, yield* ResponseFormat)
  const id = yield* (yield* IdGenerator.IdGenerator).generateId()
  return { decided, id }
})

const generateText = (
  options: LanguageModel.ProviderOptions
): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError, IdGenerator.IdGenerator> =>
  Effect.map(decide(options), ({ decided, id }) => [
    metadata,
    decided._tag === "Call" ? toolCall(decided, id) : { type: "text", text: decided.text },
    finish(options, decided)
  ])

const streamText = (
  options: LanguageModel.ProviderOptions
): Stream.Stream<Response.StreamPartEncoded, AiError.AiError, IdGenerator.IdGenerator> =>
  Stream.unwrap(Effect.map(decide(options), ({ decided, id }) => {
    const parts: ReadonlyArray<Response.StreamPartEncoded> = decided._tag === "Call" ? [toolCall(decided, id)] : [
      { type: "text-start", id: "0" },
      ...chunks(decided.text).map((delta) => ({ type: "text-delta", id: "0", delta }) as const),
      { type: "text-end", id: "0" }
    ]
    // One array per part, so that the answer arrives in pieces.
    return Stream.fromArrays(...[metadata, ...parts, finish(options, decided)].map((part) => [part]))
  }))

export const make: Effect.Effect<Model> = Effect.map(
  LanguageModel.make({ generateText, streamText }),
  (languageModel) => ({ ...name, languageModel })
)
