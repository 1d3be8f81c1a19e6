// The messages of one reply on the platform. That one is posted is stored before and after the call: after a crash it
// is looked for, or posted as a sign without text, whose text is an edit, which can be repeated. So nothing is written
// twice. A platform without both is given the same key again.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import { ChannelError } from "@svc-runtime/channels/ChannelError"
import * as Markdown from "@svc-runtime/channels/Markdown"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect } from "effect"
import type { Post, Reply } from "./ChannelRows.ts"
import type { ChannelStore } from "./ChannelStore.ts"
import type { LiveChannel } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Sentences from "./Sentences.ts"

/** What is shown while there are no words. */
export const sign = "…"

/** Messages of one answer. */
const maxParts = 30

/** Characters of the id of a message. */
const maxId = 300

export interface Shown extends Pick<Adapter.OutgoingMessage, "asks" | "files" | "prompt" | "status"> {
  readonly text: string
  readonly isFinal: boolean
}

export interface Options {
  readonly channel: LiveChannel
  readonly reply: Reply
  readonly store: ChannelStore["Service"]
  /** Makes a call only while this node executes the job. */
  readonly guard: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export const make = ({ channel, guard, reply, store }: Options) => {
  const { adapter, gate } = channel
  const { edit, find, limits } = adapter
  const posts: Array<Post> = [...reply.posts]
  /** What each message has, as this execution knows. */
  const shown = new Map<number, string>()
  const place = reply.place

  const isGroup = !reply.is_direct
  const editEvery = (isGroup ? limits.editEveryInGroups : undefined) ?? limits.editEvery ?? 0
  const postEvery = (isGroup ? limits.postEveryInGroups : undefined) ?? limits.postEvery

  /** Edits of a channel can count together. */
  const editing = limits.areEditsShared === true ? "" : reply.thread

  const at = <A>(thread: string, every: number, use: (context: Adapter.Context) => Promise<A>) =>
    gate.inTurn({ thread, every }, guard(call(use)))

  const note = (index: number, id: string | null, isFile: boolean) => {
    posts[index] = { id, ...(isFile ? { isFile } : {}) }
    return store.posted(reply.id, posts)
  }

  /** Which messages have the parts of the text, or else the files: first the posted ones, and new ones behind them. */
  const placesOf = (count: number, isFile: boolean): ReadonlyArray<number> => {
    const known = [...posts.keys()].filter((index) => (posts[index]?.isFile ?? false) === isFile)
    for (let next = posts.length; known.length < count; next++) known.push(next)
    return known.slice(0, count)
  }

  const put = (
    index: number,
    message: Adapter.OutgoingMessage
  ): Effect.Effect<void, ChannelError | StorageUnavailable> =>
    Effect.gen(function*() {
      const { files = [], prompt, status, text } = message
      const isFile = files.length > 0
      const content = JSON.stringify([text, status, prompt])
      if (shown.get(index) === content) return
      const post = posts[index]
      if (post !== undefined && post.id !== null) {
        const { id } = post
        if (edit !== undefined && !isFile) yield* at(editing, editEvery, (context) => edit(place, id, message, context))
        shown.set(index, content)
        return
      }
      if (post === undefined) yield* note(index, null, isFile)
      else if (find !== undefined) {
        const found = yield* at(reply.thread, 0, (context) => find(place, message.key, context))
        if (found !== undefined) {
          yield* note(index, found, isFile)
          return yield* put(index, message)
        }
      }
      // a question is better asked again than lost, and a platform may not edit it
      const isSignFirst = edit !== undefined && find === undefined && !isFile && message.asks === undefined
      const first = isSignFirst ? { text: sign, key: message.key } : message
      const id = yield* at(reply.thread, postEvery, (context) => adapter.post(place, first, context))
      if (typeof id !== "string" || id.length > maxId) {
        return yield* new ChannelError({ reason: "permanent", message: "The adapter gave no id of the message" })
      }
      yield* note(index, id, isFile)
      if (!isSignFirst) shown.set(index, content)
      else if (text === sign && status === undefined && prompt === undefined) shown.set(index, content)
      else yield* put(index, message)
    })

  return {
    /** Whether a message can show words that are not the last ones. */
    isLive: edit !== undefined && limits.editEvery !== undefined,
    /** Brings the messages of the platform to this text. */
    show: Effect.fnUntraced(function*({ asks, files = [], isFinal, prompt, status, text: given }: Shown) {
      const text = isFinal ? given : Markdown.closed(given)
      const split = text.trim() === "" ? [] : adapter.split(text)
      const parts = split.length === 0 ? [sign] : split.slice(0, maxParts)
      if (split.length > maxParts) parts[maxParts - 1] = Sentences.tooLong
      const places = placesOf(parts.length, false)
      for (const [at, part] of parts.entries()) {
        const isLast = at === parts.length - 1
        const index = places[at] ?? at
        yield* put(index, {
          text: part,
          key: `${reply.id}-${index}`,
          ...(isLast && status !== undefined ? { status } : {}),
          ...(isLast && prompt !== undefined ? { prompt } : {}),
          ...(isLast && asks !== undefined ? { asks } : {})
        })
      }
      // words that were void
      if (isFinal) {
        for (const index of placesOf(posts.length, false).slice(parts.length)) {
          if ((posts[index]?.id ?? null) !== null) yield* put(index, { text: sign, key: `${reply.id}-${index}` })
        }
      }
      for (const [at, index] of placesOf(files.length, true).entries()) {
        const [file] = files.slice(at)
        if (file !== undefined) yield* put(index, { text: "", files: [file], key: `${reply.id}-${index}` })
      }
    }),
    typing: Effect.suspend(() =>
      adapter.showTyping === undefined
        ? Effect.void
        : Effect.ignore(call((context) => adapter.showTyping?.(place, context) ?? Promise.resolve()))
    )
  }
}

export type ReplyPosts = ReturnType<typeof make>
