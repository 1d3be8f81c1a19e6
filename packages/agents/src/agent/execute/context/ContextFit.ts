// What a request leaves out so that it fits: the oldest large results of tools, then the oldest messages of the
// history, then the oldest of the other results. The input of the run and its last results stay. A summary can replace
// messages. Stored messages keep everything.
import type { ContextTrimmed } from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { LeftOut } from "@svc-runtime/telemetry/ModelSpan"
import { Prompt } from "effect/ai"
import type { Settings, ShownMedia } from "../../define/ContextLimits.ts"
import * as StablePrefix from "./StablePrefix.ts"
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
  /** The provider has taken the last prompt, and has counted its tokens if it says them. */
  readonly counted: (tokens: number | undefined) => void
  /** The provider has refused the last prompt for its length. Returns whether the next one is shorter. */
  readonly shorten: () => boolean
  /** Requests can leave out messages of the history. */
  readonly isLimited: boolean
  /** Of the last request, for its span. */
  readonly leftOut: () => LeftOut | undefined
  /** Of the last request, as a field of the run. */
  readonly trimmed: () => { readonly context_trimmed?: ContextTrimmed }
}

type FitSettings = Pick<Settings, "maxContextTokens" | "numHistoryMessages" | "numToolResults">

interface Around extends FitSettings {
  /** Of results of tools. Left out: none. */
  readonly showMedia?: ShownMedia | undefined
  /** Whether the model of the next request is known to read media. */
  readonly readsMedia?: (() => boolean) | undefined
  /** Of the agent and the session: what is known of the lengths that the model takes is kept for later runs. */
  readonly key?: string | undefined
  /** The model can search what requests leave out. */
  readonly canSearch?: boolean | undefined
  /** The beginning of requests stays the same as long as it can. */
  readonly isCached?: boolean | undefined
  readonly emit: (event: RunEvent.Payload) => void
}

/** Before the provider has counted. Providers differ, and languages too. */
const charactersPerToken = { first: 4, minimum: 1, maximum: 8 }

/** What an image or a document takes, about, as characters. */
const fileCharacters = 4000

/** Instead of a result. */
const placeholders = {
  call: "(This earlier result is left out. Call the tool again if you need it.)",
  search: "(This earlier result is left out. Search the history for it, or call the tool again if you need it.)"
}

/** A prompt with a smaller part of what it may have tells little of texts: its tools were counted too. */
const telling = 1 / 3

/** Results with more characters are left out before whole turns are. */
const largeResult = 2000

/** How much the next prompts may have, of the first one that was too long. */
const shorter = [0.7, 0.4, 0.1]

interface Known {
  /** Characters of a token. */
  readonly ratio?: number | undefined
  /** The limit in tokens that the provider has shown by a refusal. */
  readonly tokens?: number | undefined
}

/** By agent and session. The oldest are forgotten. */
const known = new Map<string, Known>()
const mostKnown = 10_000

const remember = (key: string | undefined, value: Known): void => {
  if (key === undefined) return
  const all = { ...known.get(key), ...value }
  known.delete(key)
  const [oldest] = known.keys()
  if (known.size >= mostKnown && oldest !== undefined) known.delete(oldest)
  known.set(key, all)
}

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

/** Results are left out in steps, so that the others stay as they are for some requests. */
const stepOf = (limit: number | undefined): number => Math.max(1, Math.min(8, Math.ceil((limit ?? 8) / 2)))

type Result = Extract<Prompt.ToolMessage["content"][number], { readonly type: "tool-result" }>

const isResult = (part: Prompt.Part): part is Result => part.type === "tool-result"

const resultsIn = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Result> =>
  messages.flatMap((message) => message.role === "tool" ? message.content.filter(isResult) : [])

const replaced = new WeakMap<Result, Record<keyof typeof placeholders, Result | undefined>>()
const placeholderParts = new WeakSet<Prompt.Part>()

/** The same object each time, as long as the result is the same one. */
const leftOut = (result: Result, how: keyof typeof placeholders): Result => {
  if (placeholderParts.has(result)) return result
  const made = replaced.get(result) ?? { call: undefined, search: undefined }
  const { id, isFailure, name, providerExecuted } = result
  const part = made[how] ?? Prompt.toolResultPart({ id, name, isFailure, providerExecuted, result: placeholders[how] })
  placeholderParts.add(part)
  replaced.set(result, { ...made, [how]: part })
  return part
}

/** The messages without these results of tools. */
const withoutResults = (
  messages: ReadonlyArray<Prompt.Message>,
  results: ReadonlySet<Result>,
  howOf: (result: Result) => keyof typeof placeholders
): ReadonlyArray<Prompt.Message> =>
  results.size === 0 ? messages : messages.map((message) => {
    if (message.role !== "tool" || !message.content.some((part) => isResult(part) && results.has(part))) return message
    return Prompt.toolMessage({
      content: message.content.map((part) => isResult(part) && results.has(part) ? leftOut(part, howOf(part)) : part),
      options: message.options
    })
  })

/** The model has not seen the results after its last message. */
const unseenIn = (conversation: ReadonlyArray<Prompt.Message>): number =>
  resultsIn(conversation.slice(conversation.findLastIndex(({ role }) => role === "assistant") + 1)).length

const isLimited = ({ maxContextTokens, numHistoryMessages, numToolResults }: FitSettings): boolean =>
  maxContextTokens !== undefined || numHistoryMessages !== undefined || numToolResults !== undefined

export const make = (around: Around): ContextFit => {
  const { emit, key, numHistoryMessages, numToolResults } = around
  const { canSearch = false, isCached = false, readsMedia = () => false, showMedia } = around
  const how = canSearch ? "search" : "call"
  const { ratio: knownRatio, tokens: knownTokens } = key === undefined ? {} : known.get(key) ?? {}
  let ratio = (isCached ? knownRatio : undefined) ?? charactersPerToken.first
  let shownTokens = knownTokens
  let [sent, lastPrompt]: [number, ReadonlyArray<Prompt.Message>] = [0, []]
  /** Of the prompts that were too long since the last one that was accepted, the first and the last. */
  let [first, refused, refusals]: [number, number, number] = [0, Number.POSITIVE_INFINITY, 0]
  let trimmed: ContextTrimmed | undefined
  let reasons: ReadonlyArray<string> = []

  const most = () =>
    Math.min(around.maxContextTokens ?? Number.POSITIVE_INFINITY, shownTokens ?? Number.POSITIVE_INFINITY)

  const note = (next: ContextTrimmed, tokens: number): void => {
    const isSame = next.messages === (trimmed?.messages ?? 0) && next.tool_results === (trimmed?.tool_results ?? 0) &&
      next.is_summarized === trimmed?.is_summarized && next.media === trimmed?.media
    const isWhole = next.messages === 0 && next.tool_results === 0 && next.is_summarized === undefined &&
      next.media === undefined
    trimmed = isWhole ? undefined : next
    if (!isSame) emit({ event: "ContextTrimmed", ...next, estimated_tokens: tokens })
  }

  /** Less than what fits, so that the next requests begin with the same messages. */
  const steady = (
    history: ReadonlyArray<Prompt.Message>,
    kept: ReadonlyArray<Prompt.Message>,
    isHistoryFull: boolean
  ): ReadonlyArray<Prompt.Message> => {
    if (!isCached || (!isHistoryFull && kept.length === history.length)) return kept
    const starts = history.flatMap(({ role }, index) => role === "user" ? [index] : [])
    return history.slice(StablePrefix.startFrom(history, starts, history.length - kept.length))
  }

  /** All that a request has. A summary changes, so it does not stand at the beginning. */
  const inOrder = (
    { input, system }: Opening,
    { kept, shown }: Record<"kept" | "shown", ReadonlyArray<Prompt.Message>>,
    content: ReadonlyArray<Prompt.Message>
  ): ReadonlyArray<Prompt.Message> =>
    isCached
      ? [...system, ...StablePrefix.joined(kept, [...shown, ...input]), ...content]
      : [...system, ...shown, ...kept, ...input, ...content]

  /** The latest messages, after the summary if earlier ones are left out. */
  const keptOf = ({ history, isHistoryFull = false, summary }: Opening, room: number) => {
    const latest = numHistoryMessages === undefined ? history : lastOf(history, numHistoryMessages)
    const cut = (within: number) => steady(history, fitting(latest, within), isHistoryFull)
    const kept = cut(room)
    if (summary === undefined || (!isHistoryFull && kept.length === history.length)) return { kept, shown: [] }
    const shorter = cut(room - sizeOf(summary))
    return { kept: shorter, shown: [summary] }
  }

  /** The oldest large results that the model has seen, as many as make the rest fit. */
  const agedIn = (
    history: ReadonlyArray<Prompt.Message>,
    content: ReadonlyArray<Prompt.Message>,
    room: number
  ): ReadonlySet<Result> => {
    const latest = numHistoryMessages === undefined ? history : lastOf(history, numHistoryMessages)
    let excess = total(latest) + total(content) - room
    if (excess <= 0) return new Set()
    const results = resultsIn([...latest, ...content])
    const large = results.slice(0, results.length - unseenIn(content)).filter((part) => sizeOfPart(part) > largeResult)
    let count = 0
    for (const result of large) {
      if (excess <= 0) break
      excess -= sizeOfPart(result) - sizeOfPart(leftOut(result, how))
      count++
    }
    return new Set(large.slice(0, isCached ? StablePrefix.inSteps(count, 4) : count))
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
    const isSliding = isCached && opening.isHistoryFull === true
    if (summary === undefined && !isLimited(around) && shownTokens === undefined && !isSliding) {
      const messages = inOrder(opening, { kept: history, shown: [] }, content)
      lastPrompt = messages
      reasons = media > 0 ? ["showMedia"] : []
      if (media > 0 || trimmed !== undefined) {
        note({ messages: 0, tool_results: 0, ...omitted }, Math.ceil(total(messages) / ratio))
      }
      return Prompt.fromMessages(messages)
    }
    const limit = most() * ratio
    const fixed = total([...system, ...input])
    const aged = agedIn(history, content, limit - fixed)
    // the results of this run are not stored yet
    const own = new Set(resultsIn(content))
    const howOf = (result: Result) => own.has(result) ? "call" : how
    const rest = withoutResults(content, aged, howOf)
    const whole = withoutResults(history, aged, howOf)
    const cut = keptOf({ ...opening, history: whole }, limit - fixed - total(rest))
    const { kept, shown } = cut
    const all = inOrder(opening, cut, rest)
    const results = resultsIn(all)
    const removable = results.length - unseenIn(content)
    const isTooMany = (index: number) => results.length - index > (numToolResults ?? Number.POSITIVE_INFINITY)
    let [removed, excess] = [0, total(all) - limit]
    for (const [index, result] of results.slice(0, removable).entries()) {
      if (!isTooMany(index) && excess <= 0) break
      excess -= sizeOfPart(result) - sizeOfPart(leftOut(result, how))
      removed++
    }
    if (isCached) removed = Math.min(removable, StablePrefix.inSteps(removed, stepOf(numToolResults)))
    const messages = withoutResults(all, new Set(results.slice(0, removed)), howOf)
    ;[sent, lastPrompt] = [total(messages), messages]
    const tool_results = resultsIn(messages).filter((part) => placeholderParts.has(part)).length
    const isFitted = total([...system, ...history, ...input, ...content]) > limit
    reasons = [
      ...(isFitted && shownTokens === most() ? ["the context window of the model"] : []),
      ...(isFitted && shownTokens !== most() ? ["maxContextTokens"] : []),
      ...(numHistoryMessages !== undefined && history.length > numHistoryMessages ? ["numHistoryMessages"] : []),
      ...(numToolResults !== undefined && results.length > numToolResults ? ["numToolResults"] : []),
      ...(isSliding ? ["numHistoryRuns"] : []),
      ...(media > 0 ? ["showMedia"] : [])
    ]
    note({
      messages: history.length - kept.length,
      tool_results,
      ...omitted,
      ...(shown.length === 0 ? {} : { is_summarized: true })
    }, Math.ceil(sent / ratio))
    return Prompt.fromMessages(messages)
  }

  const counted = (tokens: number | undefined): void => {
    // the model takes what is shorter, so later runs begin with it
    if (refusals > 0) remember(key, { tokens: shownTokens })
    ;[refused, refusals] = [Number.POSITIVE_INFINITY, 0]
    if (tokens === undefined || tokens === 0 || sent === 0) return
    const next = Math.max(charactersPerToken.minimum, Math.min(charactersPerToken.maximum, sent / tokens))
    // for a cache, the estimate and with it the beginning of requests change seldom
    if (isCached && (next >= ratio || sent < most() * ratio * telling)) return
    ratio = isCached ? Math.max(charactersPerToken.minimum, Math.floor(next * 2) / 2) : next
    if (isCached) remember(key, { ratio })
  }

  const shorten = (): boolean => {
    const size = total(lastPrompt)
    const part = shorter[refusals]
    if (size === 0 || size >= refused || part === undefined) return false
    if (refusals === 0) first = Math.min(size / ratio, most())
    refused = size
    refusals++
    shownTokens = Math.floor(first * part)
    return true
  }

  return {
    promptOf,
    counted,
    shorten,
    isLimited: isLimited(around),
    leftOut: () => trimmed === undefined ? undefined : { ...trimmed, reasons },
    trimmed: () => trimmed === undefined ? {} : { context_trimmed: trimmed }
  }
}
