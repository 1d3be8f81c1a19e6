// Slack: https://docs.slack.dev. Requests to the URL of the channel, or Socket Mode.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Redacted } from "effect"
import type { Acknowledgement, Adapter, Context, Delivery, Event, Press, Received } from "../Adapter.ts"
import * as Channel from "../Channel.ts"
import { ChannelError } from "../ChannelError.ts"
import * as Settings from "../Settings.ts"
import * as Signatures from "../Signatures.ts"
import * as SlackApi from "./SlackApi.ts"
import * as SlackBlocks from "./SlackBlocks.ts"
import * as SlackEvents from "./SlackEvents.ts"
import * as SlackFiles from "./SlackFiles.ts"
import { scopes } from "./SlackManifest.ts"
import * as SlackSocket from "./SlackSocket.ts"
import * as SlackText from "./SlackText.ts"

export interface SlackSettings {
  /** The token of the bot. It begins with `xoxb-`. */
  readonly token: Settings.Secret
  /** With it, Slack calls the URL of the channel. */
  readonly signingSecret?: Settings.Secret | undefined
  /** With it, the service opens a connection (Socket Mode), and no URL is public. It begins with `xapp-`. */
  readonly appToken?: Settings.Secret | undefined
  /** The page of the agent in Slack, in Markdown. */
  readonly home?: string | undefined
  /** Of the Web API, for tests and proxies. */
  readonly apiUrl?: string | undefined
}

/** Settings that are sealed where they are stored. */
export const secrets: ReadonlyArray<string> = ["token", "signingSecret", "appToken"]

const checkedSettings = (settings: SlackSettings) => {
  const token = Settings.secret(settings.token, {
    what: "The token of Slack",
    pattern: /^xoxb-[\w-]{10,500}$/,
    must: "begins with xoxb-",
    where: "The app has it under OAuth & Permissions, as Bot User OAuth Token"
  })
  const signingSecret = Settings.optionalSecret(settings.signingSecret, {
    what: "The signing secret of Slack",
    pattern: /^[0-9a-f]{32,64}$/,
    must: "has 32 digits and letters from a to f",
    where: "The app has it under Basic Information"
  })
  const appToken = Settings.optionalSecret(settings.appToken, {
    what: "The app token of Slack",
    pattern: /^xapp-[\w-]{10,500}$/,
    must: "begins with xapp-",
    where: "The app has it under Basic Information, with the scope connections:write"
  })
  if (signingSecret === undefined && appToken === undefined) {
    throw new Settings.SettingsError({
      message: "Slack needs a signingSecret, so that it can call the channel, or an appToken for Socket Mode."
    })
  }
  return { token, signingSecret, appToken, url: Settings.apiUrl(settings.apiUrl, "Slack", "https://slack.com/api") }
}

/** The name of the metadata of messages. Its payload has the key of the message. */
const metadataType = "svc_message"

const metadataOf = (key: string) => ({ event_type: metadataType, event_payload: { key } })

/** Pages of a conversation that are looked through for a message. */
const maxPages = 10

const maxNames = 1000

/** Messages whose files were not sent yet. */
const maxUnfinished = 100

/** Milliseconds for a call before a request of Slack is acknowledged. */
const shortly = 2000

const standardHome = "Write me a message, or mention me in a channel."

const remember = <A>(map: Map<string, A>, key: string, value: A, max: number): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > max) map.delete(map.keys().next().value ?? "")
}

const placeOf = (place: Json.Object): { readonly channel: string; readonly thread: string | undefined } => {
  const { channel, thread } = place
  if (typeof channel === "string") return { channel, thread: typeof thread === "string" ? thread : undefined }
  throw new ChannelError({ reason: "permanent", message: "The place is no conversation of Slack" })
}

const malformed = new ChannelError({ reason: "malformed", message: "The request of Slack cannot be read" })

/** Events are JSON. Commands are forms, and what people press is JSON in a form. */
const payloadOf = ({ body, headers }: Delivery): Json.Value => {
  const text = new TextDecoder().decode(body)
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded") !== true) {
    return Option.getOrThrowWith(Json.parseInput(text), () => malformed)
  }
  const form = Object.fromEntries(new URLSearchParams(text))
  const { payload } = form
  return payload === undefined ? form : Option.getOrThrowWith(Json.parseInput(payload), () => malformed)
}

const json = (value: Json.Object): Acknowledgement => ({
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value)
})

interface Handled {
  readonly events: ReadonlyArray<Event>
  readonly response?: Json.Object | undefined
}

/** The adapter with settings that are JSON, or have `Redacted` secrets. Throws `SettingsError`. */
export const adapter = (settings: SlackSettings): Adapter => {
  const { appToken, signingSecret, token, url } = checkedSettings(settings)
  const hidden = [token, signingSecret, appToken].filter((secret) => secret !== undefined)
  const api = SlackApi.make(url, token, hidden)
  const home = SlackBlocks.homeOf(settings.home ?? standardHome)
  const homeVersion = Signatures.hmac({ secret: Redacted.make("home"), parts: [JSON.stringify(home)] }).slice(0, 16)
  const names = new Map<string, string>()
  const unfinished = new Map<string, string>()

  const within = (context: Context): Context => ({
    ...context,
    signal: AbortSignal.any([context.signal, AbortSignal.timeout(shortly)])
  })

  /** The form of a choice in a window. False: the press counts without its fields. */
  const asksFields = async (press: Press, trigger: string, context: Context): Promise<boolean> => {
    const prompt = await context.prompt?.(press.prompt)
    const choice = prompt?.choices.find(({ id }) => id === press.choice)
    if (choice === undefined) return false
    const { choice: id, isDirect, place, prompt: promptId, thread } = press
    const view = SlackBlocks.modalOf({ prompt: promptId, choice: id, thread, place, isDirect }, choice)
    if (view === undefined) return false
    try {
      await SlackApi.write(api, "views.open", { trigger_id: trigger, view }, within(context))
      return true
    } catch {
      return false
    }
  }

  const showHome = async (user: string, shown: string | undefined, context: Context): Promise<void> => {
    if (shown === homeVersion) return
    const view = { type: "home", private_metadata: homeVersion, blocks: home }
    // it is shown when the person opens it again
    await SlackApi.write(api, "views.publish", { user_id: user, view }, within(context)).catch(() => undefined)
  }

  const withName = <E extends Event>(event: E): E => {
    const name = event.sender.name ?? names.get(SlackEvents.userOf(event.sender.id))
    return name === undefined ? event : { ...event, sender: { ...event.sender, name } }
  }

  const handle = async (payload: Json.Value, context: Context): Promise<Handled> => {
    const read = SlackEvents.read(payload)
    switch (read.type) {
      case "event": {
        // without it, other people in the channel do not see the question
        const isQuestion = read.event.id.startsWith("command:") && read.event.type === "message"
        return {
          events: [withName(read.event)],
          ...(isQuestion && !read.event.isDirect && { response: { response_type: "in_channel" } })
        }
      }
      case "press":
        return { events: await asksFields(read.event, read.trigger, context) ? [] : [read.event] }
      case "submission":
        return { events: [read.event] }
      case "home":
        await showHome(read.user, read.shown, context)
        return { events: [] }
      case "nothing":
        return { events: [] }
    }
  }

  const verify = (delivery: Delivery): void => {
    if (signingSecret === undefined) {
      throw new ChannelError({ reason: "forged", message: "The channel uses Socket Mode, and is not called" })
    }
    const at = Signatures.headerOf(delivery, "x-slack-request-timestamp")
    Signatures.requireRecent(delivery, at)
    const signature = Signatures.hmac({ secret: signingSecret, parts: [`v0:${at}:`, delivery.body] })
    Signatures.requireHeader(delivery, "x-slack-signature", `v0=${signature}`)
  }

  const receive = async (delivery: Delivery, context: Context): Promise<Received> => {
    verify(delivery)
    const payload = payloadOf(delivery)
    if (!Json.isObject(payload)) throw malformed
    if (payload["type"] === "url_verification") {
      return { acknowledgement: json({ challenge: SlackApi.textField(payload, "challenge") }), events: [] }
    }
    const { events, response } = await handle(payload, context)
    return { acknowledgement: response === undefined ? {} : json(response), events }
  }

  const listen = async (
    token: Redacted.Redacted,
    accept: (events: ReadonlyArray<Event>) => Promise<void>,
    context: Context
  ): Promise<void> => {
    let last: Promise<unknown> = Promise.resolve()
    // one after the other, so that the events of a conversation keep their order
    const store = (events: ReadonlyArray<Event>): Promise<void> => {
      const stored = last.then(() => accept(events))
      last = stored.catch(() => undefined)
      return stored
    }
    return SlackSocket.listen({
      api: { ...api, token },
      handle: async (payload) => {
        const { events, response } = await handle(payload, context)
        if (events.length > 0) await store(events)
        return response
      }
    }, context)
  }

  const nameOf = async (user: string, context: Context): Promise<string | undefined> => {
    const known = names.get(user)
    if (known !== undefined) return known
    const { user: person } = await SlackApi.read(api, "users.info", { user }, context)
    const profile = Json.isObject(person) ? person["profile"] : undefined
    const name = [[profile, "display_name"], [person, "real_name"], [person, "name"]] as const
    const found = name.map(([of, field]) => SlackApi.textField(of, field)).find((text) => text !== "")
    if (found !== undefined) remember(names, user, found, maxNames)
    return found
  }

  const complete = async (event: Event, context: Context): Promise<Event> => {
    const name = event.sender.name ?? await nameOf(SlackEvents.userOf(event.sender.id), context)
    const named = name === undefined ? event : { ...event, sender: { ...event.sender, name } }
    if (named.type !== "message") return named
    const found = new Map<string, string>()
    for (const id of SlackText.mentioned(named.text)) {
      const name = await nameOf(id, context).catch(() => undefined)
      if (name !== undefined) found.set(id, name)
    }
    return { ...named, text: SlackText.withNames(named.text, found) }
  }

  const write: Adapter["post"] = async (place, message, context) => {
    const { channel, thread } = placeOf(place)
    const posted = await SlackApi.write(api, "chat.postMessage", {
      channel,
      thread_ts: thread,
      ...SlackBlocks.messageOf(message),
      metadata: metadataOf(message.key),
      unfurl_links: false,
      unfurl_media: false
    }, context)
    return SlackApi.textField(posted, "ts")
  }

  const post: Adapter["post"] = async (place, message, context) => {
    const { files = [], key, prompt, text } = message
    if (files.length === 0) return write(place, message, context)
    const prepared = await SlackFiles.prepare(api, files, context)
    const hasText = text !== "" || prompt !== undefined
    // when only the files have failed, the text is not written again
    const id = hasText ? unfinished.get(key) ?? await write(place, message, context) : undefined
    if (id !== undefined) remember(unfinished, key, id, maxUnfinished)
    const file = await SlackFiles.share(api, placeOf(place), prepared, context)
    unfinished.delete(key)
    return id ?? `file:${file}`
  }

  const edit: NonNullable<Adapter["edit"]> = async (place, id, message, context) => {
    const { channel } = placeOf(place)
    if (id.startsWith("file:")) return
    await SlackApi.write(api, "chat.update", {
      channel,
      ts: id,
      ...SlackBlocks.messageOf(message),
      metadata: metadataOf(message.key)
    }, context)
  }

  const hasKey = (message: Json.Value, key: string): boolean => {
    const metadata = Json.isObject(message) ? message["metadata"] : undefined
    if (!Json.isObject(metadata) || metadata["event_type"] !== metadataType) return false
    return SlackApi.textField(metadata["event_payload"], "key") === key
  }

  const find: NonNullable<Adapter["find"]> = async (place, key, context) => {
    const { channel, thread } = placeOf(place)
    const method = thread === undefined ? "conversations.history" : "conversations.replies"
    let cursor = ""
    for (let page = 0; page < maxPages; page++) {
      const { messages, response_metadata: metadata } = await SlackApi.read(api, method, {
        channel,
        limit: "200",
        include_all_metadata: "true",
        ...(thread !== undefined && { ts: thread }),
        ...(cursor !== "" && { cursor })
      }, context)
      const found = Json.isList(messages) ? messages.find((message) => hasKey(message, key)) : undefined
      if (found !== undefined) return SlackApi.textField(found, "ts")
      cursor = SlackApi.textField(metadata, "next_cursor")
      if (cursor === "") return undefined
    }
    return undefined
  }

  const test = async (context: Context): Promise<string> => {
    const { body, headers } = await SlackApi.who(api, context)
    const granted = headers.get("x-oauth-scopes")?.split(",").map((scope) => scope.trim())
    const missing = granted === undefined ? [] : scopes.filter((scope) => !granted.includes(scope))
    if (missing.length > 0) {
      throw new ChannelError({
        reason: "unauthorized",
        message: `The token of Slack lacks ${missing.join(", ")}: add them to the app, and install it again`
      })
    }
    if (appToken !== undefined) await SlackApi.write({ ...api, token: appToken }, "apps.connections.open", {}, context)
    return `@${SlackApi.textField(body, "user")} in ${SlackApi.textField(body, "team")}`
  }

  return {
    platform: "slack",
    limits: {
      text: SlackBlocks.maxText,
      // 50 edits a minute in a workspace
      editEvery: 1200,
      areEditsShared: true,
      postEvery: 1000,
      file: 100 * 2 ** 20,
      hasButtons: true,
      hasForms: true
    },
    receive,
    ...(appToken !== undefined && {
      listen: (accept: (events: ReadonlyArray<Event>) => Promise<void>, context: Context) =>
        listen(appToken, accept, context)
    }),
    complete,
    post,
    edit,
    find,
    showTyping: async (place, context) => {
      const { channel, thread } = placeOf(place)
      if (thread === undefined) return
      const status = { channel_id: channel, thread_ts: thread, status: "is thinking…" }
      await SlackApi.write(api, "assistant.threads.setStatus", status, context)
    },
    download: ({ source }, context) => SlackFiles.download(api, SlackApi.textField(source, "id"), context),
    directPlace: async (sender, context) => {
      const { channel } = await SlackApi.write(
        api,
        "conversations.open",
        { users: SlackEvents.userOf(sender) },
        context
      )
      return { channel: SlackApi.textField(channel, "id") }
    },
    split: (markdown) => SlackText.split(markdown, SlackBlocks.maxText),
    test
  }
}

/**
 * A channel on which a component answers in Slack.
 *
 * @example
 * ```ts
 * serve({ agents: [desk], channels: [Slack.make({ agent: "desk", token, signingSecret })] })
 * ```
 */
export const make = ({ apiUrl, appToken, home, signingSecret, token, ...options }: Channel.Options & SlackSettings) =>
  Channel.make(options, adapter({ token, signingSecret, appToken, home, apiUrl }))
