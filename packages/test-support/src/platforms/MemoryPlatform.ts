// A platform in memory with its adapter: what people do is a request with a secret, and what is written is kept.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import { ChannelError, type Reason } from "@svc-runtime/channels/ChannelError"
import type * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"

export interface Shown extends Adapter.OutgoingMessage {
  readonly id: string
  readonly thread: string
  readonly edits: number
}

export interface Options {
  readonly limits?: Partial<Adapter.Limits>
  /** Messages stay as they were posted. */
  readonly isFixed?: boolean
  /** Whether a posted message can be found by its key. */
  readonly finds?: boolean
}

/** What a person writes. */
export interface Written {
  readonly id: string
  readonly text?: string
  readonly thread?: string
  readonly sender?: string
  readonly type?: Adapter.Event["type"]
  readonly [field: string]: unknown
}

const secret = "s3cret-of-the-platform"

const headers = { "content-type": "application/json", "x-secret": secret }

export const eventOf = ({ sender = "U1", thread = "T1", ...fields }: Written): Adapter.Event => ({
  type: "message",
  text: "",
  thread,
  place: { thread },
  sender: { id: sender, name: `Name of ${sender}` },
  isDirect: true,
  ...fields
} as Adapter.Event)

/** A request with these events. */
export const delivery = (...events: ReadonlyArray<Written>): RequestInit => ({
  method: "POST",
  headers,
  body: JSON.stringify(events.map(eventOf))
})

const split = (max: number) => (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let at = 0; at < text.length; at += max) parts.push(text.slice(at, at + max))
  return parts
}

export const make = ({ finds = true, isFixed = false, limits: changed }: Options = {}) => {
  const messages: Array<Shown> = []
  const calls: Array<string> = []
  const failures: Array<{ readonly reason: Reason; readonly retryAfter?: number }> = []
  const listeners = new Set<() => void>()
  const limits: Adapter.Limits = {
    text: 1000,
    ...(isFixed ? {} : { editEvery: 0 }),
    postEvery: 0,
    file: 1_000_000,
    hasButtons: true,
    hasForms: true,
    ...changed
  }

  const called = (what: string) => {
    calls.push(what)
    const failure = failures.shift()
    if (failure !== undefined) throw new ChannelError({ ...failure, message: `The platform refused ${what}` })
  }

  const changes = <A>(change: () => A): Promise<A> =>
    Promise.resolve().then(change).finally(() => {
      for (const listener of listeners) listener()
    })

  const adapter: Adapter.Adapter = {
    platform: "memory",
    limits,
    receive: ({ body, headers, method, url }) =>
      Promise.resolve().then(() => {
        if (headers["x-secret"] !== secret) {
          throw new ChannelError({ reason: "forged", message: "The secret of the request is wrong" })
        }
        if (method === "GET") {
          const challenge = new URL(url).searchParams.get("challenge") ?? ""
          return { acknowledgement: { body: challenge }, events: [] }
        }
        return { acknowledgement: { body: "ok" }, events: JSON.parse(new TextDecoder().decode(body)) }
      }),
    post: (place: Json.Object, message) =>
      changes(() => {
        called("post")
        const id = `m${messages.length + 1}`
        messages.push({ ...message, id, thread: String(place["thread"]), edits: 0 })
        return id
      }),
    ...(isFixed ? {} : {
      edit: (_: Json.Object, id: string, message: Adapter.OutgoingMessage) =>
        changes(() => {
          called("edit")
          const index = messages.findIndex((shown) => shown.id === id)
          const found = messages[index]
          if (found === undefined) throw new ChannelError({ reason: "permanent", message: "There is no such message" })
          const { prompt: _prompt, status: _status, ...kept } = found
          messages[index] = { ...kept, ...message, edits: found.edits + 1 }
        })
    }),
    ...(finds
      ? {
        find: (_: Json.Object, key: string) =>
          changes(() => {
            called("find")
            return messages.find((shown) => shown.key === key)?.id
          })
      }
      : {}),
    split: split(limits.text),
    directPlace: (sender) => Promise.resolve({ thread: `direct ${sender}` }),
    test: () =>
      changes(() => {
        called("test")
        return "The bot of tests"
      })
  }

  return {
    adapter,
    messages,
    /** The calls that were made, by their names. */
    calls,
    /** The next calls fail so, one after the other. */
    failNext: (...next: ReadonlyArray<{ readonly reason: Reason; readonly retryAfter?: number }>) => {
      failures.push(...next)
    },
    texts: (): ReadonlyArray<string> => messages.map(({ text }) => text),
    /** Returns when something on the platform is as it is wanted. */
    until: (isWanted: () => boolean): Effect.Effect<void> =>
      Effect.callback<void>((resume) => {
        const check = () => {
          if (!isWanted()) return
          listeners.delete(check)
          resume(Effect.void)
        }
        listeners.add(check)
        check()
        return Effect.sync(() => listeners.delete(check))
      })
  }
}

export type MemoryPlatform = ReturnType<typeof make>
