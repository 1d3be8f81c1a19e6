// GitHub: an app that people mention in issues, pull requests and reviews.
import * as Json from "@svc-runtime/domain/Json"
import { Option } from "effect"
import type * as Adapter from "../Adapter.ts"
import * as Channel from "../Channel.ts"
import { ChannelError } from "../ChannelError.ts"
import * as ChannelSettings from "../Settings.ts"
import * as Signatures from "../Signatures.ts"
import * as GitHubApi from "./GitHubApi.ts"
import * as GitHubEvents from "./GitHubEvents.ts"
import * as GitHubText from "./GitHubText.ts"

/** Of an app of GitHub. */
export interface Settings {
  readonly appId: string
  /** The name of the app in its address, which people mention: `desk` for `@desk`. */
  readonly slug: string
  /** In the form PEM. */
  readonly privateKey: ChannelSettings.Secret
  readonly webhookSecret: ChannelSettings.Secret
  /** Whether checks of pull requests that fail are messages to the agent. */
  readonly checks?: boolean | undefined
  /** Instead of `https://api.github.com`. */
  readonly apiUrl?: string | undefined
}

/** The names of the settings that are sealed when they are stored. */
export const secrets: ReadonlyArray<string> = ["privateKey", "webhookSecret"]

const limits: Adapter.Limits = {
  text: GitHubText.maxText,
  // GitHub allows 500 comments and edits an hour, and asks for a second between them
  editEvery: 10_000,
  areEditsShared: true,
  postEvery: 1000,
  file: 0,
  hasButtons: false,
  hasForms: false
}

const checked = (settings: Settings) => {
  const appId = ChannelSettings.text(settings.appId, {
    what: "The appId of GitHub",
    pattern: /^\d{1,15}$/,
    must: "is a number",
    where: "The app has it under General"
  })
  const slug = ChannelSettings.text(settings.slug, {
    what: "The slug of GitHub",
    pattern: /^[a-z\d](?:[a-z\d-]{0,37}[a-z\d])?$/i,
    must: "is the last part of the address of the app",
    where: "For https://github.com/apps/desk it is desk"
  })
  const privateKey = ChannelSettings.secret(settings.privateKey, {
    what: "The privateKey of GitHub",
    pattern: /^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----/,
    must: "begins with -----BEGIN",
    where: "The app makes it under Private keys"
  })
  const key = GitHubApi.keyOf(privateKey)
  if (key === undefined) {
    throw new ChannelSettings.SettingsError({ message: "The privateKey of GitHub is no RSA key in the form PEM." })
  }
  const webhookSecret = ChannelSettings.secret(settings.webhookSecret, {
    what: "The webhookSecret of GitHub",
    pattern: /^\S{8,500}$/,
    must: "has at least 8 characters without spaces"
  })
  const url = ChannelSettings.apiUrl(settings.apiUrl, "GitHub", "https://api.github.com")
  return { api: GitHubApi.make(url, appId, privateKey, key), appId, slug, webhookSecret }
}

const malformed = new ChannelError({ reason: "malformed", message: "The request of GitHub cannot be read" })

interface Place {
  readonly installation: number
  /** The beginning of the paths of the repository. */
  readonly path: string
  readonly number: number
  readonly comment: number | undefined
}

const placeOf = ({ comment, installation, number, repository }: Json.Object): Place => {
  if (typeof installation === "number" && typeof number === "number" && typeof repository === "string") {
    const thread = typeof comment === "number" ? comment : undefined
    return { installation, number, path: `/repos/${repository}`, comment: thread }
  }
  throw new ChannelError({ reason: "permanent", message: "The place is no conversation of GitHub" })
}

/** Of comments that are looked through for a message. */
const maxPages = 10
const perPage = 100

/** Milliseconds: a message that was not known to be posted is looked for soon. */
const lookback = 24 * 60 * 60 * 1000

/** A comment that readers do not see. A key of the service has no characters that would end it. */
const signOf = (key: string): string => `<!-- svc:${Buffer.from(key).toString("base64url")} -->`

const permissions = ["issues", "pull_requests"]

/** The adapter with settings that are JSON, or have `Redacted` secrets. Throws `SettingsError`. */
export const adapter = (settings: Settings): Adapter.Adapter => {
  const { api, appId, slug, webhookSecret } = checked(settings)
  const self = `${slug.toLowerCase()}[bot]`

  /** Who answers by text has to mention the app, so that the answer reaches it. */
  const bodyOf = ({ asks, key, status, text }: Adapter.OutgoingMessage): string => {
    const quiet = status === undefined || status.trim() === ""
      ? ""
      : `<sub>${GitHubText.render(status).replaceAll("\n", " ")}</sub>`
    const how = asks === undefined ? "" : `<sub>Answer with a comment that mentions @${slug}.</sub>`
    const shown = [GitHubText.render(text), quiet, how].filter((part) => part.trim() !== "")
    return [...shown.length === 0 ? ["…"] : shown, signOf(key)].join("\n\n")
  }

  /** Comments on code have other paths than those of the conversation. The id of a message says which it is. */
  const pathOf = ({ path }: Place, id: string): string => {
    const [, kind, comment] = /^(code|issue):(\d{1,20})$/.exec(id) ?? []
    if (comment === undefined) {
      throw new ChannelError({ reason: "permanent", message: "The message is no comment of GitHub" })
    }
    return `${path}/${kind === "code" ? "pulls" : "issues"}/comments/${comment}`
  }

  const idOf = (comment: Json.Value | undefined, { comment: thread }: Place): string => {
    const id = Json.isObject(comment) ? comment["id"] : undefined
    if (typeof id === "number") return `${thread === undefined ? "issue" : "code"}:${id}`
    throw new ChannelError({ reason: "temporary", message: "GitHub gave no comment" })
  }

  const isOwn = (comment: Json.Value, sign: string): boolean => {
    if (!Json.isObject(comment)) return false
    const { body, user } = comment
    const login = Json.isObject(user) ? user["login"] : undefined
    return typeof body === "string" && body.trimEnd().endsWith(sign) && String(login).toLowerCase() === self
  }

  return {
    platform: "github",
    limits,
    split: GitHubText.split,

    receive: (delivery) =>
      Promise.resolve().then(() => {
        const signature = Signatures.hmac({ secret: webhookSecret, parts: [delivery.body] })
        Signatures.requireHeader(delivery, "x-hub-signature-256", `sha256=${signature}`)
        const body = Option.getOrUndefined(Json.parseInput(new TextDecoder().decode(delivery.body)))
        if (!Json.isObject(body)) throw malformed
        const readsChecks = settings.checks === true
        const message = GitHubEvents.read(body, { slug, appId, readsChecks, at: delivery.at })
        return { acknowledgement: { status: 202 }, events: message === undefined ? [] : [message] }
      }),

    post: async (place, message, context) => {
      const where = placeOf(place)
      const { comment, installation, number, path } = where
      const to = comment === undefined
        ? `${path}/issues/${number}/comments`
        : `${path}/pulls/${number}/comments/${comment}/replies`
      const call = { name: "a comment", method: "POST", path: to, json: { body: bodyOf(message) } } as const
      return idOf((await GitHubApi.call(api, installation, call, context)).body, where)
    },

    edit: async (place, id, message, context) => {
      const where = placeOf(place)
      const path = pathOf(where, id)
      const call = { name: "an edit of a comment", method: "PATCH", path, json: { body: bodyOf(message) } } as const
      await GitHubApi.call(api, where.installation, call, context)
    },

    find: async (place, key, context) => {
      const where = placeOf(place)
      const { comment, installation, number, path } = where
      const since = new Date(Date.now() - lookback).toISOString()
      const list = `${path}/${comment === undefined ? "issues" : "pulls"}/${number}/comments?since=${since}`
      for (let page = 1; page <= maxPages; page++) {
        const call = { name: "comments", path: `${list}&per_page=${perPage}&page=${page}` }
        const { body } = await GitHubApi.call(api, installation, call, context)
        const comments = Json.isList(body) ? body : []
        const found = comments.find((one) => isOwn(one, signOf(key)))
        if (found !== undefined) return idOf(found, where)
        if (comments.length < perPage) return undefined
      }
      return undefined
    },

    test: async (context) => {
      const app = await GitHubApi.ofApp(api, { name: "the app", path: "/app" }, context)
      const { name, permissions: granted, slug: actual } = Json.isObject(app) ? app : {}
      if (String(actual).toLowerCase() !== slug.toLowerCase()) {
        throw new ChannelError({ reason: "unauthorized", message: `The slug of the app is ${String(actual)}` })
      }
      const missing = permissions.filter((one) => !Json.isObject(granted) || granted[one] !== "write")
      if (missing.length > 0) {
        const message = `The app of GitHub may not write ${missing.join(", ")}: change its permissions`
        throw new ChannelError({ reason: "unauthorized", message })
      }
      return `@${slug}, the app ${String(name)}`
    }
  }
}

/**
 * A channel on GitHub.
 *
 * @example
 * ```ts
 * const github = GitHub.make({ agent: "desk", appId: "1", slug: "desk", privateKey, webhookSecret })
 * serve({ agents: [desk], channels: [github] })
 * ```
 */
export const make = (options: Channel.Options & Settings): Channel.Channel => {
  const { apiUrl: _url, appId: _id, checks: _checks, privateKey: _key, slug: _slug, webhookSecret: _secret, ...rest } =
    options
  return Channel.make(rest, adapter(options))
}
