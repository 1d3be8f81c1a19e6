// A server that speaks the wire of Slack (https://docs.slack.dev) for one workspace with one app, and with people who
// write to it. It refuses what Slack refuses, in Slack's words.
import { Effect } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { type Answer, listen, type Request } from "./PlatformListener.ts"
import { accept, type Connection } from "./PlatformSocket.ts"
import * as SlackRules from "./SlackRules.ts"

type Values = SlackRules.Values

/** What Slack sends. */
export type Payload = Values

export interface Message {
  readonly channel: string
  readonly ts: string
  readonly thread_ts?: string
  readonly user: string
  readonly bot_id?: string
  text: string
  blocks?: ReadonlyArray<Values> | undefined
  metadata?: Values | undefined
  files?: ReadonlyArray<Values>
}

/** What Slack sent, and what the app answered. */
export interface Delivered {
  readonly status: number
  readonly body: string
}

/** `cut` answers with an error after the call was made. `with` replaces fields of the answer. */
export type Fault =
  | { readonly error: string; readonly more?: Values }
  | { readonly retryAfter: number }
  | { readonly status: number }
  | { readonly with: Values }
  | "cut"

export const bot = { user: "U0BOT", bot: "B0BOT", app: "A0APP", team: "T0TEAM" }
export const ann = "U0ANN"

const token = "xoxb-1234567890-test-token-of-the-bot"
const appToken = "xapp-1-A0APP-1234567890-test"
const signingSecret = "8f742231b10e8888abcdef0123456789"

/** These methods take JSON. The others read forms only. */
const writing = new Set([
  "apps.connections.open",
  "assistant.threads.setStatus",
  "auth.test",
  "chat.postMessage",
  "chat.update",
  "conversations.open",
  "files.completeUploadExternal",
  "views.open",
  "views.publish"
])

const people: Readonly<Record<string, Values>> = {
  [ann]: { id: ann, name: "ann", real_name: "Ann Example", profile: { display_name: "Ann" } },
  U0BEN: { id: "U0BEN", name: "ben", real_name: "Ben Example", profile: { display_name: "" } }
}

const refused = (error: string, more: Values = {}): Answer => ({ body: { ok: false, error, ...more } })
const accepted = (values: Values = {}): Answer => ({ body: { ok: true, ...values } })

const parametersOf = ({ body, headers, query }: Request, method: string): Values => {
  const text = body.toString("utf8")
  const isJson = headers["content-type"]?.startsWith("application/json") === true
  if (isJson) return writing.has(method) ? JSON.parse(text) as Values : {}
  const form = Object.fromEntries([...query, ...new URLSearchParams(text)])
  const parsed = ["blocks", "files", "metadata", "view"].flatMap((name) => {
    const value = form[name]
    return value === undefined ? [] : [[name, JSON.parse(value) as unknown] as const]
  })
  return { ...form, ...Object.fromEntries(parsed) }
}

export interface Options {
  readonly scopes?: ReadonlyArray<string> | undefined
}

export type SlackServer = Effect.Success<ReturnType<typeof make>>

/** A server for as long as the scope lasts. `address` of its app is set when the app is there. */
export const make = Effect.fnUntraced(function*(options: Options = {}) {
  const messages: Array<Message> = []
  const calls: Array<{ readonly method: string; readonly values: Values }> = []
  const views: Array<Values> = []
  const homes = new Map<string, Values>()
  const statuses: Array<Values> = []
  const files = new Map<string, { readonly name: string; bytes?: Uint8Array; type: string; url?: string }>()
  const faults = new Map<string, Array<Fault>>()
  const connections: Array<Connection> = []
  const waiting = new Map<string, (payload: Values | undefined) => void>()
  const tickets = new Set<string>()
  const triggers = new Set<string>()
  const listeners = new Set<() => void>()
  let address = ""
  let next = 1
  let opened = 0

  const changed = () => {
    for (const listener of listeners) listener()
  }

  const ts = (): string => `17000000${String(next++).padStart(2, "0")}.000100`
  const unique = (): string => String(next++).padStart(6, "0")

  const shown = (message: Message, isAll: boolean): Values => {
    const { channel: _, metadata, ...rest } = message
    return { type: "message", ...rest, ...(isAll && metadata !== undefined && { metadata }) }
  }

  const page = (all: ReadonlyArray<Message>, { cursor = "", include_all_metadata, limit = "100" }: Values): Answer => {
    const from = Number(cursor)
    const to = from + Math.min(Number(limit), 999)
    const isAll = include_all_metadata === "true" || include_all_metadata === true || include_all_metadata === "1"
    return accepted({
      messages: all.slice(from, to).map((message) => shown(message, isAll)),
      has_more: to < all.length,
      response_metadata: { next_cursor: to < all.length ? String(to) : "" }
    })
  }

  const share = (channel: string, thread: unknown, shared: ReadonlyArray<Values>, text: string): void => {
    messages.push({
      channel,
      ts: ts(),
      user: bot.user,
      bot_id: bot.bot,
      text,
      files: shared,
      ...(typeof thread === "string" && { thread_ts: thread })
    })
  }

  const methods: Readonly<Record<string, (values: Values) => Answer>> = {
    "auth.test": () => accepted({ user: "desk", user_id: bot.user, bot_id: bot.bot, team: "Acme", team_id: bot.team }),
    "chat.postMessage": (values) => {
      const problem = SlackRules.messageProblem(values)
      if (problem !== undefined) return refused(problem.error, { response_metadata: { messages: [problem.detail] } })
      const { blocks, channel, metadata, text = "", thread_ts } = values
      const message: Message = {
        channel: String(channel),
        ts: ts(),
        user: bot.user,
        bot_id: bot.bot,
        text: String(text),
        blocks: blocks as ReadonlyArray<Values>,
        metadata: metadata as Values,
        ...(typeof thread_ts === "string" && { thread_ts })
      }
      messages.push(message)
      return accepted({ channel, ts: message.ts, message: shown(message, true) })
    },
    "chat.update": (values) => {
      const problem = SlackRules.messageProblem(values)
      if (problem !== undefined) return refused(problem.error, { response_metadata: { messages: [problem.detail] } })
      const found = messages.find(({ channel, ts }) => channel === values["channel"] && ts === values["ts"])
      if (found === undefined) return refused("message_not_found")
      if (found.bot_id !== bot.bot) return refused("cant_update_message")
      found.text = String(values["text"] ?? "")
      found.blocks = values["blocks"] as ReadonlyArray<Values>
      if (values["metadata"] !== undefined) found.metadata = values["metadata"] as Values
      return accepted({ channel: found.channel, ts: found.ts, text: found.text })
    },
    "conversations.history": (values) =>
      page(
        messages.filter((one) => one.channel === values["channel"] && one.thread_ts === undefined).toReversed(),
        values
      ),
    "conversations.replies": (values) =>
      page(
        messages.filter(({ channel, thread_ts, ts }) =>
          channel === values["channel"] && (thread_ts === values["ts"] || ts === values["ts"])
        ),
        values
      ),
    "conversations.open": ({ users }) =>
      people[String(users)] === undefined
        ? refused("user_not_found")
        : accepted({ channel: { id: `D${String(users).slice(1)}` } }),
    "users.info": ({ user }) => {
      const found = people[String(user)]
      return found === undefined ? refused("user_not_found") : accepted({ user: found })
    },
    "views.open": ({ trigger_id, view }) => {
      // each trigger opens one window, within three seconds
      if (!triggers.delete(String(trigger_id))) return refused("expired_trigger_id")
      const problem = SlackRules.viewProblem(view as Values)
      if (problem !== undefined) return refused("invalid_arguments", { response_metadata: { messages: [problem] } })
      const opened = { ...view as Values, id: `V${unique()}` }
      views.push(opened)
      return accepted({ view: opened })
    },
    "views.publish": ({ user_id, view }) => {
      const problem = SlackRules.viewProblem(view as Values)
      if (problem !== undefined) return refused("invalid_arguments", { response_metadata: { messages: [problem] } })
      homes.set(String(user_id), view as Values)
      return accepted({ view })
    },
    "assistant.threads.setStatus": (values) => {
      if (typeof values["thread_ts"] !== "string") return refused("invalid_arguments")
      statuses.push(values)
      return accepted()
    },
    "files.getUploadURLExternal": ({ filename, length }) => {
      if (typeof filename !== "string" || !(Number(length) > 0)) return refused("invalid_arguments")
      const id = `F${unique()}`
      files.set(id, { name: filename, type: "application/octet-stream" })
      return accepted({ file_id: id, upload_url: `${listening.url}/upload/${id}` })
    },
    "files.completeUploadExternal": ({ channel_id, files: shared, initial_comment = "", thread_ts }) => {
      const all = shared as ReadonlyArray<Values>
      if (all.some(({ id }) => files.get(String(id))?.bytes === undefined)) return refused("file_not_found")
      if (typeof channel_id === "string") {
        if (!/^[CDGZ]\w+$/.test(channel_id)) return refused("invalid_arguments")
        share(channel_id, thread_ts, all, String(initial_comment))
      }
      return accepted({ files: all })
    },
    "files.info": ({ file }) => {
      const found = files.get(String(file))
      if (found === undefined) return refused("file_not_found")
      const url = found.url ?? `${listening.url}/files/${String(file)}`
      const mode = found.url === undefined ? "hosted" : "external"
      return accepted({ file: { id: file, name: found.name, mimetype: found.type, mode, url_private_download: url } })
    },
    "apps.connections.open": () => {
      const ticket = randomBytes(8).toString("hex")
      tickets.add(ticket)
      return accepted({ url: `${listening.url.replace("http", "ws")}/link/?ticket=${ticket}&app_id=${bot.app}` })
    }
  }

  const called = (request: Request, method: string): Answer => {
    const values = parametersOf(request, method)
    const given = request.headers["authorization"]?.replace("Bearer ", "") ?? values["token"]
    const expected = method === "apps.connections.open" ? appToken : token
    if (given === undefined) return refused("not_authed")
    if (given !== expected) {
      return refused(given === token || given === appToken ? "not_allowed_token_type" : "invalid_auth")
    }
    const call = methods[method]
    if (call === undefined) return refused("unknown_method")
    calls.push({ method, values })
    const fault = faults.get(method)?.shift()
    if (fault === "cut") {
      call(values)
      throw new Error("cut")
    }
    if (fault !== undefined && "retryAfter" in fault) {
      return { status: 429, headers: { "retry-after": String(fault.retryAfter) }, ...refused("ratelimited") }
    }
    if (fault !== undefined && "status" in fault) return { status: fault.status, body: "no JSON" }
    if (fault !== undefined && "error" in fault) return refused(fault.error, fault.more)
    const answer = call(values)
    changed()
    if (fault !== undefined) return { body: { ...answer.body as Values, ...fault.with } }
    return options.scopes === undefined
      ? answer
      : { ...answer, headers: { "x-oauth-scopes": options.scopes.join(",") } }
  }

  const answer = (request: Request): Answer => {
    const [, kind, name = ""] = request.path.split("/")
    if (kind === "api") return called(request, name)
    const file = files.get(name)
    if (file === undefined) return { status: 404 }
    if (kind === "upload") {
      file.bytes = new Uint8Array(request.body)
      return { body: `OK - ${request.body.length}` }
    }
    // without a token Slack answers with the page where people sign in
    if (request.headers["authorization"] !== `Bearer ${token}`) {
      return { headers: { "content-type": "text/html; charset=utf-8" }, body: "<!DOCTYPE html>" }
    }
    return { headers: { "content-type": file.type }, body: file.bytes ?? new Uint8Array() }
  }

  const listening = yield* listen(answer)
  accept(listening.server, (_, query) => tickets.delete(query.get("ticket") ?? ""), (connection) => {
    connections.push(connection)
    opened++
    connection.onText = (text) => {
      const { envelope_id, payload } = JSON.parse(text) as { envelope_id: string; payload?: Values }
      waiting.get(envelope_id)?.(payload)
      waiting.delete(envelope_id)
    }
    connection.onClose = () => {
      connections.splice(connections.indexOf(connection), 1)
      changed()
    }
    connection.send({ type: "hello", num_connections: connections.length, connection_info: { app_id: bot.app } })
    changed()
  })

  /** Bytes with their headers. */
  const signed = (body: string, type: string, at = Math.floor(Date.now() / 1000)) => ({
    body,
    headers: {
      "content-type": type,
      "x-slack-request-timestamp": String(at),
      "x-slack-signature": `v0=${createHmac("sha256", signingSecret).update(`v0:${at}:${body}`).digest("hex")}`
    } as Record<string, string>
  })

  /** A request of Slack to the app, as bytes. */
  const requestOf = (
    payload: Values,
    kind: "event" | "command" | "interaction",
    at?: number
  ) => {
    const form = kind === "command" ? payload as Record<string, string> : { payload: JSON.stringify(payload) }
    const body = kind === "event" ? JSON.stringify(payload) : new URLSearchParams(form).toString()
    return signed(body, kind === "event" ? "application/json" : "application/x-www-form-urlencoded", at)
  }

  const envelopeOf = (event: Values): Values => ({
    token: "verification",
    team_id: bot.team,
    api_app_id: bot.app,
    event: { ...event, event_ts: event["ts"] },
    type: "event_callback",
    event_id: `Ev${unique()}`,
    event_time: 1_700_000_000,
    authorizations: [{ enterprise_id: null, team_id: bot.team, user_id: bot.user, is_bot: true }]
  })

  const trigger = (): string => {
    const id = `${unique()}.${unique()}.abc`
    triggers.add(id)
    return id
  }

  return {
    url: `${listening.url}/api`,
    token,
    appToken,
    signingSecret,
    messages,
    calls,
    views,
    homes,
    statuses,
    files,
    connections,
    /** How many connections the app has opened. */
    opened: () => opened,
    /** Returns when what the app did is as it is wanted. */
    until: (isWanted: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const check = () => {
          if (!isWanted()) return
          listeners.delete(check)
          resolve()
        }
        listeners.add(check)
        check()
      }),
    requestOf,
    signed,
    setAddress: (url: string) => {
      address = url
    },
    fail: (method: string, ...next: ReadonlyArray<Fault>) => {
      faults.set(method, [...faults.get(method) ?? [], ...next])
    },
    /** A message of a person, and the event about it. */
    message: (
      { channel, user = ann, ...values }: Values & { readonly channel: string; readonly user?: string }
    ): Values => {
      const isDirect = channel.startsWith("D")
      const event = {
        type: isDirect ? "message" : "app_mention",
        channel,
        user,
        team: bot.team,
        ts: ts(),
        ...(isDirect && { channel_type: "im" }),
        ...values
      }
      return envelopeOf(event)
    },
    event: envelopeOf,
    command: (values: Values): Values => ({
      token: "verification",
      team_id: bot.team,
      channel_id: "C0DESK",
      channel_name: "desk",
      user_id: ann,
      user_name: "ann",
      command: "/desk",
      text: "",
      api_app_id: bot.app,
      response_url: "https://hooks.slack.com/commands/1",
      trigger_id: trigger(),
      ...values
    }),
    /** A person presses a button that a message has. */
    press: (message: Message, label: string): Values => {
      const buttons = (message.blocks ?? []).flatMap(({ elements = [] }) => elements as ReadonlyArray<Values>)
      const button = buttons.find(({ text }) => (text as Values | undefined)?.["text"] === label)
      if (button === undefined) throw new Error(`The message has no button ${label}`)
      return {
        type: "block_actions",
        user: { id: ann, username: "ann", name: "ann", team_id: bot.team },
        api_app_id: bot.app,
        team: { id: bot.team, domain: "acme" },
        container: { type: "message", message_ts: message.ts, channel_id: message.channel },
        trigger_id: trigger(),
        channel: { id: message.channel, name: "desk" },
        message: shown(message, false),
        actions: [{ ...button, action_ts: "1700000000.000000" }]
      }
    },
    /** A person fills in the window that was opened last. */
    submit: (state: Readonly<Record<string, Values>>): Values => {
      const view = views.at(-1) ?? {}
      const values = SlackRules.stateOf(view, state)
      return {
        type: "view_submission",
        team: { id: bot.team },
        user: { id: ann, username: "ann", name: "ann", team_id: bot.team },
        api_app_id: bot.app,
        trigger_id: trigger(),
        view: { ...view, state: { values } }
      }
    },
    /** Sends by a request, with the headers of a repetition if it is one. */
    deliver: async (payload: Values, kind: "event" | "command" | "interaction", retry = 0): Promise<Delivered> => {
      const { body, headers } = requestOf(payload, kind)
      const again = retry === 0
        ? {}
        : { "x-slack-retry-num": String(retry), "x-slack-retry-reason": "http_timeout" }
      const response = await fetch(address, { method: "POST", headers: { ...headers, ...again }, body })
      return { status: response.status, body: await response.text() }
    },
    /** Sends over the connection of Socket Mode, and waits for the acknowledgement with its payload. */
    push: (type: "events_api" | "interactive" | "slash_commands", payload: Values): Promise<Values | undefined> =>
      new Promise((resolve) => {
        const id = randomBytes(8).toString("hex")
        waiting.set(id, resolve)
        connections.at(-1)?.send({
          type,
          envelope_id: id,
          payload,
          accepts_response_payload: type !== "events_api",
          ...(type === "events_api" && { retry_attempt: 0, retry_reason: "" })
        })
      })
  }
})
