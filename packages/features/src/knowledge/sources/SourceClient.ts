// Requests of sources to the hosts that their authors name, and what failed responses mean.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { type Fetched, FetchFailed, type FetchRequest, SafeFetch } from "@svc-runtime/fetch"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Schema, Scope } from "effect"
import { ContentSourceFailed, type FolderFile, minSyncInterval } from "../ContentSource.ts"

/** The options of every source. */
export interface SourceOptions {
  /** Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** The name for people. Default: the id. */
  readonly name?: string | undefined
  /** Only paths that start with it are offered. */
  readonly prefix?: string | undefined
  /** How often uploaded folders are compared with it again, at least a minute. Default: only when uploaded. */
  readonly sync?: Duration.Input | undefined
}

const kinds: AuthorOptions.Kinds<keyof SourceOptions> = { id: "text", name: "text", prefix: "text", sync: "any" }

/**
 * Throws for options that the source does not have, for values of another kind, and for what it cannot do without.
 * `own` are the options beside those of each source. Gives what makes errors of the source.
 */
export const checkOptions = <Name extends string>(
  source: string,
  options: Readonly<Record<"id", string>>,
  own: AuthorOptions.Kinds<Name>,
  required: ReadonlyArray<Name>
): (problem: string) => Mistake => {
  const owner = AuthorOptions.ownerOf(source, options)
  AuthorOptions.check(owner, options, { ...kinds, ...own })
  const invalid = (problem: string) => new Mistake(`${owner}: ${problem}`)
  const given: Readonly<Record<string, unknown>> = options
  for (const name of ["id", ...required]) {
    if (given[name] === undefined) throw invalid(`there is no ${name}. Is the setting set that it comes from?`)
  }
  return invalid
}

/** Of one response. A longer list would block the process while it is parsed. */
export const maxBytes = { file: 32 * 1024 * 1024, list: 8 * 1024 * 1024, token: 64 * 1024 } as const

export const hidden = (value: string | Redacted.Redacted): Redacted.Redacted =>
  Redacted.isRedacted(value) ? value : Redacted.make(value)

/**
 * Throws an `Error` with the option that is empty, because the setting that it comes from is not set, or that no header
 * can have, as one with the line end of its file.
 */
export const checkGiven = (
  options: Readonly<Record<string, string | Redacted.Redacted | undefined>>,
  invalid: (problem: string) => Error
): void => {
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined) continue
    const text = Redacted.value(hidden(value))
    if (text === "") throw invalid(`${option} is empty`)
    if (!/^[\x20-\x7e]+$/.test(text) || text.trim() !== text) {
      throw invalid(`${option} must be one line of ASCII, without blanks around it`)
    }
  }
}

/** Throws an `Error` with the option if it is no address. */
export const urlOf = (text: string, invalid: (problem: string) => Error, option = "endpoint"): URL => {
  const url = URL.parse(text)
  if (url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.search === "") return url
  throw invalid(`${option} must be an http or https address, not '${text}'`)
}

/** RFC 3986: `encodeURIComponent` leaves some characters. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

export const encodePath = (path: string): string => path.split("/").map(encode).join("/")

/** Sorted: signatures cover it. */
export const queryOf = (parameters: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(parameters)
    .flatMap(([name, value]) => value === undefined ? [] : [`${encode(name)}=${encode(value)}`])
    .toSorted()
    .join("&")

export const unavailable = (message: string, retryAfter?: number): ContentSourceFailed =>
  new ContentSourceFailed({ reason: "unavailable", message, retryAfter })

export const refused = (message: string): ContentSourceFailed => new ContentSourceFailed({ reason: "refused", message })

/** The interval of a source. Throws if it is too short. */
export const syncOf = (
  sync: Duration.Input | undefined,
  invalid: (problem: string) => Error
): Duration.Duration | undefined => {
  if (sync === undefined) return undefined
  const interval = Duration.fromInput(sync)
  if (Option.isSome(interval) && Duration.isGreaterThanOrEqualTo(interval.value, minSyncInterval)) return interval.value
  throw invalid(`sync must be a duration of at least ${Duration.format(minSyncInterval)}`)
}

export type Send = (request: FetchRequest) => Effect.Effect<Fetched, ContentSourceFailed>

const valuesIn = (query: string) => [...new URLSearchParams(query).values()]

/** The shortest text that is taken for a secret. */
const minSecretLength = 4

const secretsOf = ({ body, headers = {}, url }: FetchRequest): ReadonlyArray<string> =>
  [
    ...Object.values(headers).flatMap((value) => value.split(/[\s,]+/)),
    ...valuesIn(URL.parse(url)?.search ?? ""),
    ...valuesIn(typeof body?.content === "string" ? body.content : "")
  ].filter((text) => text.length >= minSecretLength)

/** The reason of a failure is read from the beginning of its response, which can repeat the request. */
const withoutSecrets = (request: FetchRequest, fetched: Fetched): Fetched => {
  if (fetched.status >= 200 && fetched.status < 300) return fetched
  let text = new TextDecoder().decode(fetched.body.subarray(0, maxBytes.token))
  for (const secret of secretsOf(request)) {
    for (const form of [secret, encodeURIComponent(secret)]) text = text.replaceAll(form, "[redacted]")
  }
  return { ...fetched, body: new TextEncoder().encode(text) }
}

/** The author of the service names these hosts, no caller does: they may be in a private network. */
export const make = (endpoints: ReadonlyArray<URL>): Send => {
  const allow = endpoints.map(({ hostname, port, protocol }) =>
    `${hostname}:${port === "" ? protocol === "https:" ? "443" : "80" : port}`
  )
  // for as long as the process: idle connections end after a second
  const client = Effect.runSync(Effect.cached(
    Effect.uninterruptible(Layer.buildWithScope(SafeFetch.layer({ allow }), Scope.makeUnsafe()))
  ))
  return (request) =>
    client.pipe(
      Effect.flatMap((context) => Context.get(context, SafeFetch).fetch(request)),
      Effect.map((fetched) => withoutSecrets(request, fetched)),
      Effect.mapError((error) => error instanceof FetchFailed ? unavailable(error.message) : refused(error.message))
    )
}

/** Seconds, a date, or the time at which a spent limit is renewed. */
const retryAfterOf = (headers: Fetched["headers"], millis: number): number | undefined => {
  const after = headers["retry-after"]
  const until = after === undefined
    ? headers["x-ratelimit-remaining"] === "0" ? Number(headers["x-ratelimit-reset"]) * 1000 : Number.NaN
    : /^\d{1,9}$/.test(after)
    ? millis + Number(after) * 1000
    : Date.parse(after)
  return Number.isFinite(until) ? Math.max(0, Math.ceil((until - millis) / 1000)) : undefined
}

/** What was asked for. */
export interface Subject {
  /** What the source is: `Bucket`. */
  readonly place: string
  readonly name: string
  /** Undefined: not a file, but the place. */
  readonly path: string | undefined
}

/** A response that is no success. `code`: what its body says. */
export const failureOf = Effect.fnUntraced(function*(
  { headers, status }: Fetched,
  { name, path, place }: Subject,
  code?: string
) {
  const message = `${name} responds with the status ${status}${code === undefined ? "" : ` (${code.slice(0, 100)})`}`
  const retryAfter = retryAfterOf(headers, yield* Clock.currentTimeMillis)
  // a spent limit is 403 too
  const isTransient = status === 408 || status === 429 || status >= 500 || (status === 403 && retryAfter !== undefined)
  if (isTransient) return yield* unavailable(message, retryAfter)
  if (status === 404) {
    const message = path === undefined ? `${place} not found: ${name}` : `File not found: ${path}`
    return yield* new ContentSourceFailed({ reason: "missing", message })
  }
  if (status === 401 || status === 403) {
    return yield* new ContentSourceFailed({ reason: "credentials", message })
  }
  return yield* refused(message)
})

export const textOf = ({ body }: Fetched): string => new TextDecoder().decode(body)

/** Fails as something that passes: a response can be cut off. */
export const decodeJson = <A>(schema: Schema.Codec<A, unknown>, name: string) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return (fetched: Fetched): Effect.Effect<A, ContentSourceFailed> =>
    Effect.mapError(
      decode(textOf(fetched)),
      () => unavailable(`${name} responds with something else than was asked for`)
    )
}

/** The media type, unless it says nothing. The extension chooses the reader then. */
export const typeOf = ({ headers }: Fetched): string | undefined => {
  const type = headers["content-type"]
  return type === undefined || /\/octet-stream\b/.test(type) ? undefined : type
}

export interface FilePage {
  readonly files: ReadonlyArray<FolderFile>
  readonly next: string | undefined
}

export const tooMany = (path: string, maximum: number): ContentSourceFailed =>
  refused(`'${path}' has more than ${maximum} entries: name a longer path`)

/** Fails if a page continues with itself, which has no end. */
export const following = (
  path: string,
  current: string | undefined,
  next: string | undefined
): Effect.Effect<string | undefined, ContentSourceFailed> =>
  next !== undefined && next === current
    ? unavailable(`The list of '${path}' continues with the same page again`)
    : Effect.succeed(next)

/** All pages of a list. A page can be empty. */
export const collect = Effect.fnUntraced(function*(
  { maximum, path }: { readonly path: string; readonly maximum: number },
  page: (next: string | undefined) => Effect.Effect<FilePage, ContentSourceFailed>
) {
  const files: Array<FolderFile> = []
  let next: string | undefined
  for (let count = 0; count <= maximum / 100; count++) {
    const found = yield* page(next)
    for (const file of found.files) files.push(file)
    if (files.length > maximum) break
    next = yield* following(path, next, found.next)
    if (next === undefined) return files
  }
  return yield* tooMany(path, maximum)
})
