// What a request leaves out so that it fits: the oldest messages of the history, then the oldest results of tools. The
// input of the run and its last results stay. A summary can replace messages. Stored messages keep
// everything.
import type { ContextTrimmed } from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { Prompt } from "effect/ai"
import type { Settings, ShownMedia } from "../../define/ContextLimits.ts"
import * as ToolMedia from "./ToolMedia.ts"

/** What the session has had before the run. */
export interface Earlier {
  readonly history: ReadonlyArray<Prompt.Message>
  /** The history without the turns of runs that were cancelled or failed. Left out: it has none. */
  readonly finished?: ReadonlyArray<Prompt.Message> | undefined
  /** Replaces what is left out of the history. */
  readonly summary?: Prompt.Message | undefined
  /** The session has had as many runs as the history may have: earlier ones are not in it. */
  readonly isHistoryFull?: boolean | undefined
}

/** What comes before the turns of the run. */
export interface Opening extends Earlier {
  readonly system: ReadonlyArray<Prompt.Message>
  /** The input, and what else is shown with it. */
  readonly input: ReadonlyArray<Prompt.Message>
}

export interface ContextFit {
  readonly promptOf: (opening: Opening, conversation: Prompt.Prompt) => Prompt.Prompt
  /** The provider has counted the tokens of the last prompt. */
  readonly counted: (tokens: number | undefined) => void
  /** Requests can leave out messages of the history. */
  readonly isLimited: boolean
  /** Of the last request, as a field of the run. */
  readonly trimmed: () => { readonly context_trimmed?: ContextTrimmed }
}

type FitSettings = Pick<Settings, "maxContextTokens" | "numHistoryMessages" | "numToolResults">

interface Around extends FitSettings {
  /** Of results of tools. Left out: none. */
  readonly showMedia?: ShownMedia | undefined
  /** Whether the model of the next request is known to read media. */
  readonly readsMedia?: (() => boolean) | undefined
  readonly emit: (event: RunEvent.Payload) => void
}

/** Before the provider has counted. Providers differ, and languages too. */
const charactersPerToken = { first: 4, minimum: 1, maximum: 8 }

/** What an image or a document takes, about, as characters. */
const fileCharacters = 4000

/** Instead of a result. */
const placeholder = "(This earlier result is left out. Call the tool again if you need it.)"

const sizeOfPart = (part: Prompt.Part): number => {
  if (part.type === "file") return fileCharacters
  const media = part.type === "tool-result" ? part.modelOutput?.length ?? 0 : 0
  return JSON.stringify(part).length + media * fileCharacters
}

const sizes = new WeakMap<Prompt.Message, number>()

/** In characters. Messages never change, so each is measured once. */
export const sizeOf = (message: Prompt.Message): number => {
  const known = sizes.get(message)
  if (known !== undefined) return known
  const { content } = message
  const size = typeof content === "string"
    ? content.length
    : content.reduce((sum, part) => sum + sizeOfPart(part), 0)
  sizes.set(message, size)
  return size
}

const total = (messages: ReadonlyArray<Prompt.Message>): number =>
  messages.reduce((sum, message) => sum + sizeOf(message), 0)

/** The last messages, from one of the user on: an answer or a result does not stand alone. */
const lastOf = (history: ReadonlyArray<Prompt.Message>, count: number): ReadonlyArray<Prompt.Message> => {
  const from = Math.max(0, history.length - count)
  const first = history.findIndex(({ role }, index) => index >= from && role === "user")
  return first < 0 ? [] : history.slice(first)
}

/** The latest messages that take at most these characters. */
const fitting = (history: ReadonlyArray<Prompt.Message>, limit: number): ReadonlyArray<Prompt.Message> => {
  let [size, count] = [0, 0]
  for (const message of history.toReversed()) {
    size += sizeOf(message)
    if (size > limit) return lastOf(history, count)
    count++
  }
  return history
}

type Result = Extract<Prompt.ToolMessage["content"][number], { readonly type: "tool-result" }>

const isResult = (part: Prompt.Part): part is Result => part.type === "tool-result"

const resultsIn = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Result> =>
  messages.flatMap((message) => message.role === "tool" ? message.content.filter(isResult) : [])

const leftOut = ({ id, isFailure, name, providerExecuted }: Result): Result =>
  Prompt.toolResultPart({ id, name, isFailure, providerExecuted, result: placeholder })

/** The messages without the first results of tools. */
const withoutResults = (messages: ReadonlyArray<Prompt.Message>, count: number): ReadonlyArray<Prompt.Message> => {
  let left = count
  return messages.map((message) => {
    if (message.role !== "tool" || left === 0) return message
    const content = message.content.map((part) => isResult(part) && left-- > 0 ? leftOut(part) : part)
    left = Math.max(0, left)
    return Prompt.toolMessage({ content })
  })
}

/** The model has not seen the results after its last message. */
const unseenIn = (conversation: ReadonlyArray<Prompt.Message>): number =>
  resultsIn(conversation.slice(conversation.findLastIndex(({ role }) => role === "assistant") + 1)).length

const isLimited = ({ maxContextTokens, numHistoryMessages, numToolResults }: FitSettings): boolean =>
  maxContextTokens !== undefined || numHistoryMessages !== undefined || numToolResults !== undefined

export const make = (around: Around): ContextFit => {
  const { emit, maxContextTokens = Number.POSITIVE_INFINITY, numHistoryMessages, numToolResults } = around
  const { readsMedia = () => false, showMedia } = around
  let [ratio, sent]: [number, number] = [charactersPerToken.first, 0]
  let trimmed: ContextTrimmed | undefined

  const note = (next: ContextTrimmed, tokens: number): void => {
    const isSame = next.messages === (trimmed?.messages ?? 0) && next.tool_results === (trimmed?.tool_results ?? 0) &&
      next.is_summarized === trimmed?.is_summarized && next.media === trimmed?.media
    const isWhole = next.messages === 0 && next.tool_results === 0 && next.is_summarized === undefined &&
      next.media === undefined
    trimmed = isWhole ? undefined : next
    if (!isSame) emit({ event: "ContextTrimmed", ...next, estimated_tokens: tokens })
  }

  /** The latest messages, after the summary if earlier ones are left out. */
  const keptOf = ({ history, isHistoryFull = false, summary }: Opening, room: number) => {
    const latest = numHistoryMessages === undefined ? history : lastOf(history, numHistoryMessages)
    const kept = fitting(latest, room)
    if (summary === undefined || (!isHistoryFull && kept.length === history.length)) return { kept, shown: [] }
    const shorter = fitting(latest, room - sizeOf(summary))
    return { kept: shorter, shown: [summary] }
  }

  const isShowing = () => showMedia?.shows === "all" || (showMedia?.shows === "known" && readsMedia())

  /** The messages with the newest media of their results, and how many media were left out. */
  const withNewestMedia = (messages: ReadonlyArray<Prompt.Message>) => {
    if (showMedia === undefined || !isShowing()) return { messages: ToolMedia.without(messages), media: 0 }
    const kept = ToolMedia.newest(messages, showMedia)
    return { messages: kept, media: ToolMedia.count(messages) - ToolMedia.count(kept) }
  }

  const promptOf = (given: Opening, conversation: Prompt.Prompt): Prompt.Prompt => {
    const { media, messages: shownMessages } = withNewestMedia([...given.history, ...conversation.content])
    const opening = { ...given, history: shownMessages.slice(0, given.history.length) }
    const content = shownMessages.slice(given.history.length)
    const { history, input, summary, system } = opening
    const omitted = media === 0 ? {} : { media }
    if (summary === undefined && !isLimited(around)) {
      const messages = [...system, ...history, ...input, ...content]
      if (media > 0 || trimmed !== undefined) {
        note({ messages: 0, tool_results: 0, ...omitted }, Math.ceil(total(messages) / ratio))
      }
      return Prompt.fromMessages(messages)
    }
    const { kept, shown } = keptOf(opening, maxContextTokens * ratio - total([...system, ...input, ...content]))
    const all = [...system, ...shown, ...kept, ...input, ...content]
    const results = resultsIn(all)
    const removable = results.length - unseenIn(content)
    const isTooMany = (index: number) => results.length - index > (numToolResults ?? Number.POSITIVE_INFINITY)
    let [removed, excess] = [0, total(all) - maxContextTokens * ratio]
    for (const [index, result] of results.slice(0, removable).entries()) {
      if (!isTooMany(index) && excess <= 0) break
      excess -= sizeOfPart(result) - sizeOfPart(leftOut(result))
      removed++
    }
    const messages = withoutResults(all, removed)
    sent = total(messages)
    note({
      messages: history.length - kept.length,
      tool_results: removed,
      ...omitted,
      ...(shown.length === 0 ? {} : { is_summarized: true })
    }, Math.ceil(sent / ratio))
    return Prompt.fromMessages(messages)
  }

  const counted = (tokens: number | undefined): void => {
    if (tokens === undefined || tokens === 0 || sent === 0) return
    ratio = Math.max(charactersPerToken.minimum, Math.min(charactersPerToken.maximum, sent / tokens))
  }

  return {
    promptOf,
    counted,
    isLimited: isLimited(around),
    trimmed: () => trimmed === undefined ? {} : { context_trimmed: trimmed }
  }
}
