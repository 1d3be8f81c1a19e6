// A platform over HTTP for tests of many processes, and its adapter: what people see, and when the service calls it.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import { ChannelError } from "@svc-runtime/channels/ChannelError"
import { Effect } from "effect"
import * as PlatformListener from "./PlatformListener.ts"

/** A message as people see it. */
export interface Shown {
  readonly thread: string
  readonly key: string
  readonly text: string
  readonly prompt?: Adapter.Prompt | undefined
  readonly postedAt: number
}

/** When a call arrives, and when it has had its effect. */
export type Moment = "edit.after" | "edit.before" | "post.after" | "post.before"

/** Gets the name of the node as well. What it throws is a call without effect. */
export type Happens = (moment: Moment, text: string, node: string) => void

export const make = (happens: Happens = () => {}) =>
  Effect.gen(function*() {
    const messages = new Map<string, Shown>()
    const { url } = yield* PlatformListener.listen(({ body, headers, method, path, query }) => {
      if (method === "GET") {
        const found = [...messages].find(([, { key }]) => key === query.get("key"))
        return { body: { id: found?.[0] } }
      }
      const given: Pick<Shown, "key" | "prompt" | "text" | "thread"> = JSON.parse(body.toString())
      const { "x-node": node = "" } = headers
      const call = method === "POST" ? "post" : "edit"
      happens(`${call}.before`, given.text, node)
      const id = method === "POST" ? String(messages.size + 1) : path.slice(1)
      messages.set(id, { ...given, postedAt: messages.get(id)?.postedAt ?? performance.now() })
      happens(`${call}.after`, given.text, node)
      return { body: { id } }
    })
    return { url, messages: messages as ReadonlyMap<string, Shown> }
  })

export interface Options {
  readonly url: string
  /** Whether a posted message is found by its key. */
  readonly finds: boolean
  readonly node: string
}

/** The adapter of such a platform. */
export const adapter = ({ finds, node, url }: Options): Adapter.Adapter => {
  const call = async (context: Adapter.Context, method: string, path: string, body?: object): Promise<string> => {
    const response = await context.fetch(`${url}${path}`, {
      method,
      headers: { "x-node": node },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const { id = "" }: { readonly id?: string } = await response.json()
    return id
  }
  const shown = (thread: unknown, { key, prompt, text }: Adapter.OutgoingMessage) => ({ thread, key, prompt, text })
  return {
    platform: "chat",
    limits: { text: 4000, editEvery: 50, postEvery: 0, file: 0, hasButtons: true, hasForms: true },
    receive: ({ body, headers }) =>
      Promise.resolve().then(() => {
        if (headers["x-secret"] !== "of-the-chat") {
          throw new ChannelError({ reason: "forged", message: "The secret is wrong" })
        }
        return { acknowledgement: {}, events: JSON.parse(new TextDecoder().decode(body)) }
      }),
    post: ({ thread }, message, context) => call(context, "POST", "/", shown(thread, message)),
    edit: async ({ thread }, id, message, context) => {
      await call(context, "PUT", `/${id}`, shown(thread, message))
    },
    ...(finds
      ? {
        find: async (_, key, context) => {
          const id = await call(context, "GET", `/?key=${encodeURIComponent(key)}`)
          return id === "" ? undefined : id
        }
      } satisfies Partial<Adapter.Adapter>
      : {}),
    split: (text) => [text],
    test: () => Promise.resolve("The chat of tests")
  }
}

/** The request with which the platform delivers an event. */
export const delivery = (
  event: Pick<Adapter.Event, "id" | "thread" | "type"> & Readonly<Record<string, unknown>>
): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", "x-secret": "of-the-chat" },
  body: JSON.stringify([{
    place: { thread: event.thread },
    sender: { id: `person of ${event.thread}` },
    isDirect: true,
    ...event
  }])
})
