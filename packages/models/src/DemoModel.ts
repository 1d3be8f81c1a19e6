// A model without a network, to try the service: it answers small talk, calls a tool that matches the message, answers
// with the result, supports JSON formats, and says that it is a demo and how to set a real model, once in what it gets
// of a session. Its answers and arguments depend only on the prompt.
import { Effect, Option, Predicate, Schema, Stream } from "effect"
import { type AiError, IdGenerator, LanguageModel, type Prompt, type Response, Tool } from "effect/ai"
import * as AiSdkTools from "./AiSdkTools.ts"
import * as DemoArguments from "./DemoArguments.ts"
import * as DemoMemories from "./DemoMemories.ts"
import { userTextOf } from "./DemoMemories.ts"
import * as DemoTalk from "./DemoTalk.ts"
import * as DemoTool from "./DemoTool.ts"
import type { Model } from "./Model.ts"
import { RequestOptions, type ResponseFormat } from "./RequestOptions.ts"

// How the demo model summarizes a session: it adds the start of each message of the user to the earlier summary.

/** The name of the format in which a service asks for a summary. */
const summaryFormat = "SessionSummary"

const summaryBlockIn = (system: string, name: string): string =>
  new RegExp(`<${name}>\n([^]*?)\n</${name}>`).exec(system)?.[1]?.trim() ?? ""

const longestSummary = 1000

/** From a conversation of one JSON message in each line. */
const demoSummary = (conversation: string, system: string) => {
  const added = conversation.split("\n").map(userTextOf).filter((text) => text !== "")
    .map((text) => `The user wrote: ${text.replaceAll(/\s+/g, " ").slice(0, 100)}`)
  const all = [summaryBlockIn(system, "earlier_summary"), ...added].filter((text) => text !== "").join("; ")
  return { summary: all.slice(-longestSummary) || "Nothing was written.", topics: [] }
}

/** What a system message shows of the session. */
const summaryIn = (system: string): string => summaryBlockIn(system, "summary_of_this_session").split("\n").at(-1) ?? ""

// How the demo model answers from knowledge: it repeats the first text that was found, and names where it is from.

/** The tool that searches the knowledge of an agent. */
const knowledgeTool = "search_knowledge"

/** Characters of the text. */
const maxFoundLength = 600

const parseFound = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.Unknown)))

/** Undefined: the result, a JSON text, has no texts of contents. */
export const repeatFound = (result: unknown): string | undefined => {
  const parsed = parseFound(result)
  if (Option.isNone(parsed)) return undefined
  const [first] = parsed.value
  if (first === undefined) return "The knowledge base has nothing about it."
  if (!Predicate.hasProperty(first, "content") || !Predicate.isString(first.content)) return undefined
  const source = Predicate.hasProperty(first, "name") && Predicate.isString(first.name) ? ` (${first.name})` : ""
  return `${first.content.slice(0, maxFoundLength).trim()}${source}`
}

/** What a system message shows of knowledge: the first text and its source. Undefined: nothing. */
export const knowledgeIn = (system: string): string | undefined =>
  repeatFound(/<references>\n([^\n]*)\n<\/references>/.exec(system)?.[1])

// How the demo model judges answers: by the share of wanted words that an answer has.

/** The names of the formats in which a service asks for a verdict. */
const scoreFormat = "EvaluationScore"
const verdictFormat = "EvaluationVerdict"

/** The tags have the id of the message. */
const taggedIn = (message: string, name: string): string =>
  new RegExp(`<(${name}-\\w+)>\n([^]*?)\n</\\1>`).exec(message)?.[2] ?? ""

const judgedWordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

/** The share of the wanted words that the answer has. */
const shareOf = (message: string): number => {
  const wanted = judgedWordsOf(taggedIn(message, "expected_answer") || taggedIn(message, "criteria"))
  const answer = judgedWordsOf(taggedIn(message, "answer"))
  return wanted.size === 0 ? 0 : [...wanted].filter((word) => answer.has(word)).length / wanted.size
}

const reasonOf = (share: number): string =>
  `The demo model compares words only: the answer has ${Math.round(share * 100)} % of the wanted ones.`

const demoScore = (message: string) => {
  const share = shareOf(message)
  return { score: 1 + Math.round(share * 9), reason: reasonOf(share) }
}

const demoVerdict = (message: string) => {
  const share = shareOf(message)
  return { passed: share >= 0.5, reason: reasonOf(share) }
}

export const name = { id: "demo", name: "DemoModel", provider: "Demo" } as const

const notice = "(This is the demo model: it runs inside the service and understands very little. " +
  "For a real one set MODEL=openai:gpt-5 and OPENAI_API_KEY, or the model and key of another provider.)"

interface Turn {
  readonly message: string
  /** The one before, and the tool that was called for it. */
  readonly before: { readonly message: string; readonly tool: string | undefined }
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
  const before = beforeOf(prompt.content.slice(0, Math.max(0, at)))
  return message?.role === "user"
    ? {
      message: textOf(message),
      before,
      files: message.content.filter((part) => part.type === "file").length,
      results
    }
    : { message: "", before, files: 0, results }
}

const beforeOf = (messages: ReadonlyArray<Prompt.Message>): Turn["before"] => {
  const at = messages.findLastIndex(({ role }) => role === "user")
  const message = messages[at]
  const calls = messages.slice(at + 1).flatMap((each) =>
    each.role === "assistant" ? each.content.filter((part) => part.type === "tool-call") : []
  )
  return { message: message?.role === "user" ? textOf(message) : "", tool: calls[0]?.name }
}

/** Whether an earlier answer says that it is one of a demo. */
const isIntroduced = ({ content }: Prompt.Prompt): boolean =>
  content.some((message) =>
    message.role === "assistant" &&
    message.content.some((part) => part.type === "text" && part.text.includes(notice))
  )

const shown = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "nothing"

const sayResults = (results: ReadonlyArray<Prompt.ToolResultPart>): string =>
  results.map(({ isFailure, name, result }) => {
    if (isFailure) return `The tool ${name} failed: ${shown(result)}`
    const found = name === knowledgeTool ? repeatFound(result) : undefined
    return found ?? `The tool ${name} says: ${shown(result)}`
  }).join("\n")

const sayPlain = ({ files, message }: Turn): string => {
  const attached = files === 0 ? "" : ` with ${files} file${files === 1 ? "" : "s"}`
  return message.trim() === ""
    ? `Hello! You sent an empty message${attached}.`
    : `You said${attached}: ${message.trim()}`
}

/** A follow-up is for the tool of the message before, if no other one fits. */
const findTool = (options: LanguageModel.ProviderOptions, { before, message }: Turn): Tool.Any | undefined => {
  const { toolChoice, tools } = options
  if (toolChoice === "none") return undefined
  if (typeof toolChoice === "object" && "tool" in toolChoice) return tools.find(({ name }) => name === toolChoice.tool)
  const isForced = toolChoice === "required" || (typeof toolChoice === "object" && toolChoice.mode === "required")
  return DemoTool.fitting(tools, message) ??
    (DemoTalk.followsUp(message) ? tools.find(({ name }) => name === before.tool) : undefined) ??
    (DemoTalk.tells(message) && !isForced ? undefined : DemoTool.usual(tools)) ?? (isForced ? tools[0] : undefined)
}

const isChosen = ({ toolChoice }: LanguageModel.ProviderOptions): boolean =>
  toolChoice !== "auto" && toolChoice !== "none"

/** The one before if the message wants the same again. */
const meant = (turn: Turn): Turn =>
  DemoTalk.wantsAgain(turn.message) && turn.before.message !== "" ? { ...turn, message: turn.before.message } : turn

const answer = (options: LanguageModel.ProviderOptions, context: ResponseFormat): Answer => {
  const turn = meant(lastTurn(options.prompt))
  const format = AiSdkTools.format(options.responseFormat, context)
  const system = systemOf(options.prompt)
  const tools = options.tools.map((tool) => ({ name: tool.name, description: Tool.getDescription(tool) ?? "" }))
  const talk = format.type === "json" || turn.files > 0 || isChosen(options)
    ? undefined
    : DemoTalk.small({ message: turn.message, system, tools })
  if (turn.results.length === 0 && talk === undefined) {
    const tool = findTool(options, turn)
    if (tool !== undefined) {
      return { _tag: "Call", name: tool.name, params: DemoArguments.make(Tool.getJsonSchema(tool), turn.message) }
    }
  }
  if (format.type === "json" && format.name === DemoMemories.formatName) {
    return { _tag: "Text", text: JSON.stringify(DemoMemories.changes(turn.message, system)) }
  }
  if (format.type === "json" && format.name === DemoMemories.learningFormat) {
    return { _tag: "Text", text: JSON.stringify(DemoMemories.learned(turn.message, system, format.schema)) }
  }
  if (format.type === "json" && format.name === summaryFormat) {
    return { _tag: "Text", text: JSON.stringify(demoSummary(turn.message, system)) }
  }
  if (format.type === "json" && format.name === scoreFormat) {
    return { _tag: "Text", text: JSON.stringify(demoScore(turn.message)) }
  }
  if (format.type === "json" && format.name === verdictFormat) {
    return { _tag: "Text", text: JSON.stringify(demoVerdict(turn.message)) }
  }
  if (format.type === "json" && !Predicate.isObject(format.schema?.properties) && format.schema?.type === "object") {
    return { _tag: "Text", text: JSON.stringify({ answer: sayPlain(turn) }) }
  }
  if (format.type === "json") {
    return { _tag: "Text", text: JSON.stringify(DemoArguments.make(format.schema ?? {}, turn.message)) }
  }
  const memories = DemoMemories.shownIn(system)
  const learned = DemoMemories.learnedIn(system)
  const earlier = summaryIn(system)
  const found = talk === undefined ? knowledgeIn(system) : undefined
  const plain = [
    talk ?? DemoTalk.calculated(turn.message) ?? sayPlain(turn),
    ...(found === undefined ? [] : [`The knowledge base says: ${found}`]),
    ...(memories.length === 0 ? [] : [`I know about you: ${memories.join("; ")}`]),
    ...(learned.length === 0 ? [] : [`I have learned: ${learned.join("; ")}`]),
    ...(earlier === "" ? [] : [`Earlier in this session: ${earlier}`])
  ].join("\n")
  const text = turn.results.length > 0 ? sayResults(turn.results) : plain
  return { _tag: "Text", text: isIntroduced(options.prompt) ? text : `${text}\n\n${notice}` }
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
  const decided = answer(options, (yield* RequestOptions).format)
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
