// Brings the messages of a request into the form that its wire takes, whatever history they come from: sessions that
// another model began, answers that were cut off, names and ids that models have invented. What fits stays as it is,
// and what changes is the same in every later request, so that providers find what they have cached.
import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { Predicate } from "effect"
import { Base64 } from "effect/encoding"
import { hashOf } from "./hashOf.ts"
import {
  type Assistant,
  type AssistantPart,
  type Call,
  isCall,
  type Message,
  type Result,
  type ToolMessage,
  type User,
  type Wire
} from "./Wire.ts"

const usual = /^[a-zA-Z0-9_-]{1,64}$/

/** A name that the wire takes. Tools of the request keep theirs. */
export const toolName = ({ toolName: allowed = usual }: Wire, name: string): string => {
  if (allowed.test(name)) return name
  const cleaned = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 63)
  const valid = cleaned === "" ? "unknown" : cleaned
  return allowed.test(valid) ? valid : `_${valid}`
}

/** Gives each call of the request an id of its own. */
const idsOf = ({ callId, newCallId }: Wire) => {
  const taken = new Set<string>()
  const seen = new Map<string, number>()
  return (id: string): string => {
    const count = seen.get(id) ?? 0
    seen.set(id, count + 1)
    let given = id
    for (let tries = 0; !callId.test(given) || taken.has(given); tries++) {
      given = newCallId(hashOf(`${id} ${count} ${tries}`))
    }
    taken.add(given)
    return given
  }
}

const isBlank = (text: string): boolean => text.trim() === ""

const textUser = (text: string): User => ({ role: "user", content: [{ type: "text", text }] })
const textAnswer = (text: string): Assistant => ({ role: "assistant", content: [{ type: "text", text }] })

/** Nothing but reasoning: an answer that was cut off. */
const isEmpty = ({ content }: Assistant): boolean => content.every(({ type }) => type === "reasoning")

type WithOptions = { readonly providerOptions?: Message["providerOptions"] }

/** The options of this service are not for providers. */
const withoutOwn = <A extends WithOptions>(value: A): A => {
  if (value.providerOptions?.["svc"] === undefined) return value
  const { svc: _, ...rest } = value.providerOptions
  const { providerOptions: __, ...others } = value
  return { ...others, ...(Object.keys(rest).length === 0 ? {} : { providerOptions: rest }) } as A
}

const isSignedFor = ({ signatures }: Wire, { providerOptions = {} }: WithOptions): boolean =>
  signatures.some((name) => Predicate.isObject(providerOptions[name]) && Object.keys(providerOptions[name]).length > 0)

/** A provider that wants reasoning takes this for one that it has not got. */
const unknownReasoning = " "

/** The text of an answer that is stored, which has no signature. */
const storedReasoning = ({ providerOptions }: Assistant): string | undefined => {
  const text = providerOptions?.["svc"]?.["reasoning"]
  return typeof text === "string" && text !== "" ? text : undefined
}

const reasoned = (wire: Wire, message: Assistant): ReadonlyArray<AssistantPart> => {
  const { content } = message
  switch (wire.reasoning) {
    case "run":
      return content
    case "none":
      return content.filter(({ type }) => type !== "reasoning")
    case "signed":
      return content.filter((part) => part.type !== "reasoning" || isSignedFor(wire, part))
    case "calls": {
      if (!content.some(isCall)) return content
      const hasOne = content.some((part) => part.type === "reasoning" && part.text !== "")
      if (hasOne) return content
      const text = storedReasoning(message) ?? unknownReasoning
      return [{ type: "reasoning", text }, ...content.filter(({ type }) => type !== "reasoning")]
    }
  }
}

const noResult = "There is no result: the call was not finished."

/** The result of each call, in their order. Each result belongs to the first call with its id that has none yet. */
const paired = (calls: ReadonlyArray<Call>, results: ReadonlyArray<Result>): ReadonlyArray<Result> => {
  const left = [...results]
  return calls.map((call): Result => {
    const place = left.findIndex(({ toolCallId }) => toolCallId === call.toolCallId)
    const [found] = place < 0 ? [] : left.splice(place, 1)
    const { providerOptions, toolCallId, toolName } = call
    return found ?? {
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "error-text", value: noResult },
      ...(providerOptions === undefined ? {} : { providerOptions })
    }
  })
}

const isToolMessage = (message: Message): message is ToolMessage => message.role === "tool"
const isResult = (part: ToolMessage["content"][number]): part is Result => part.type === "tool-result"

/** The parts of one answer of the history and what follows it until the next answer. */
interface Turn {
  readonly answer: Assistant
  readonly following: ReadonlyArray<Message>
}

const valueOf = ({ output }: Result): string => {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value
    case "execution-denied":
      return output.reason ?? "The call was not allowed."
    case "json":
    case "error-json":
      return JSON.stringify(output.value)
    case "content":
      return output.value.map((part) => part.type === "text" ? part.text : `[${part.type}]`).join("\n")
  }
}

/** Calls and results as texts, for requests that cannot have them. */
const asTexts = (answer: Assistant, results: ReadonlyArray<Result>): ReadonlyArray<Message> => {
  const content = answer.content.map((part): AssistantPart =>
    isCall(part)
      ? { type: "text", text: `I called the tool ${part.toolName} with ${JSON.stringify(part.input)}.` }
      : part
  )
  const lines = results.map((result) => `The tool ${result.toolName} returned: ${valueOf(result)}`)
  return [{ ...answer, content }, ...(lines.length === 0 ? [] : [textUser(lines.join("\n\n"))])]
}

interface FileLike {
  readonly type: string
  readonly mediaType?: string
  readonly data?: { readonly type?: string; readonly url?: URL; readonly data?: string | Uint8Array }
}

/** For wires that take base64 only. An address is shown as text: the service fetches none. */
const withoutAddresses = <P extends { readonly type: string }>(part: P): P | { type: "text"; text: string } => {
  const { data, mediaType } = part as FileLike
  if (part.type !== "file") return part
  if (data?.type === "url") return { type: "text", text: `[${mediaType} at ${data.url?.href}]` }
  return data?.data instanceof Uint8Array ? { ...part, data: { ...data, data: Base64.encode(data.data) } } : part
}

const resultWithoutAddresses = (result: Result): Result =>
  result.output.type === "content"
    ? { ...result, output: { ...result.output, value: result.output.value.map(withoutAddresses) } }
    : result

const user = (wire: Wire, message: User): User => {
  const content = message.content.filter((part) => part.type !== "text" || !isBlank(part.text))
  const parts = wire.withoutAddresses === true ? content.map(withoutAddresses) : content
  return parts.length === 0 ? { ...message, ...textUser("(empty message)") } : { ...message, content: parts }
}

/** The answers with everything that follows them, and what comes before the first. */
const turnsOf = (
  prompt: LanguageModelV4Prompt
): { readonly before: ReadonlyArray<Message>; readonly turns: ReadonlyArray<Turn> } => {
  const before: Array<Message> = []
  const turns: Array<{ answer: Assistant; following: Array<Message> }> = []
  for (const message of prompt) {
    if (message.role === "assistant") turns.push({ answer: message, following: [] })
    else (turns.at(-1)?.following ?? before).push(message)
  }
  return { before, turns }
}

const turnMessages = (wire: Wire, { answer, following }: Turn, idOf: (id: string) => string, hasTools: boolean) => {
  const content = reasoned(wire, answer).filter((part) => part.type !== "text" || !isBlank(part.text))
  const others = following.filter((message) => !isToolMessage(message))
  if (isEmpty({ ...answer, content: [...content] })) return others
  const calls = content.filter(isCall)
  const toolMessages = following.filter(isToolMessage)
  const results = paired(calls, toolMessages.flatMap(({ content }) => content.filter(isResult))).map((result) =>
    wire.withoutAddresses === true ? resultWithoutAddresses(result) : result
  )
  const ids = calls.map(({ toolCallId }) => idOf(toolCallId))
  let next = 0
  const sentAnswer = withoutOwn<Assistant>({
    ...answer,
    content: content.map((part) =>
      isCall(part) ? { ...part, toolCallId: ids[next++] ?? "", toolName: toolName(wire, part.toolName) } : part
    )
  })
  const sentResults = results.map((result, index) => ({
    ...result,
    toolCallId: ids[index] ?? "",
    toolName: toolName(wire, calls[index]?.toolName ?? "")
  }))
  if (wire.textCalls === true || (wire.toolsForCalls === true && !hasTools)) {
    return [...asTexts(sentAnswer, sentResults), ...others]
  }
  const [first] = toolMessages
  return sentResults.length === 0
    ? [sentAnswer, ...others]
    : [sentAnswer, { ...first, role: "tool" as const, content: sentResults }, ...others]
}

/** Whether the provider itself continues its answer. */
const isPaused = ({ content }: Assistant): boolean =>
  content.some((part) => (part.type === "tool-call" || part.type === "tool-result") && !isCall(part))

/** Answers that follow each other, as after a stop, are one. */
const joined = ({ joinsUsers }: Wire, messages: ReadonlyArray<Message>): Array<Message> => {
  const joined: Array<Message> = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === "assistant" && message.role === "assistant") {
      joined[joined.length - 1] = { ...last, ...message, content: [...last.content, ...message.content] }
    } else if (joinsUsers === true && last?.role === "user" && message.role === "user") {
      joined[joined.length - 1] = { ...last, ...message, content: [...last.content, ...message.content] }
    } else joined.push(message)
  }
  return joined
}

export interface Options {
  readonly wire: Wire
  readonly hasTools: boolean
}

/** The messages as the wire takes them. */
export const accepted = (prompt: LanguageModelV4Prompt, { hasTools, wire }: Options): LanguageModelV4Prompt => {
  const shown = prompt
    .filter((message) => message.role !== "system" || !isBlank(message.content))
    .map((message) => message.role === "user" ? user(wire, message) : message)
  const { before, turns } = turnsOf(shown)
  const idOf = idsOf(wire)
  const messages: Array<Message> = before.filter((message) => !isToolMessage(message))
  for (const turn of turns) messages.push(...turnMessages(wire, turn, idOf, hasTools))
  const first = messages.findIndex(({ role }) => role !== "system")
  if (first < 0 || (wire.startsWithUser === true && messages[first]?.role !== "user")) {
    messages.splice(first < 0 ? messages.length : first, 0, textUser("(The conversation begins.)"))
  }
  const last = messages.at(-1)
  if (wire.endsWithUser === true && last?.role === "assistant" && !isPaused(last)) messages.push(textUser("Continue."))
  const whole = joined(wire, messages)
  return wire.answersResults === true
    ? whole.flatMap((message, index) =>
      message.role === "user" && whole[index - 1]?.role === "tool" ? [textAnswer("OK."), message] : [message]
    )
    : whole
}
