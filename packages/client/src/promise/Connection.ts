// Requests over `fetch`: credentials, errors of the service, and repetitions of reads.
import type { Options } from "./Options.ts"
import { messages } from "./ServerSentEvents.ts"
import { SvcConnectionError, SvcError } from "./SvcError.ts"

export interface ConnectionOptions {
  /** For example `http://127.0.0.1:7777`, with the prefix of a proxy if there is one. */
  readonly baseUrl: string
  /** A bearer token, or a function that is called for each request, for tokens that are renewed. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined
  /**
   * How often a read is repeated after a failure of the network, or after 429, 502, 503 and 504. Default: 2.
   * With 0 streams are not opened again either.
   */
  readonly retries?: number | undefined
  /**
   * Called once for each text of a warning of the service, such as one about a field that it does not know.
   * Default: `console.warn`.
   */
  readonly onWarning?: ((text: string) => void) | undefined
}

export interface Call extends Options {
  readonly method: string
  readonly path: string
  readonly query?: object | undefined
  readonly body?: BodyInit | undefined
  readonly contentType?: string | undefined
}

type Events = AsyncGenerator<readonly [id: string | undefined, event: unknown], void>

const transient = new Set([429, 502, 503, 504])

/** Seconds. A service that asks for more is not asked again by the client. */
const maxRetryDelay = 60

export const isTransient = (error: unknown): boolean =>
  error instanceof SvcConnectionError ||
  (error instanceof SvcError && transient.has(error.status) && (error.retryAfter ?? 0) <= maxRetryDelay)

/** The service has no routes yet: it has not looked at the request, which can be sent again. */
const isStarting = (error: unknown): boolean =>
  error instanceof SvcError && error.status === 503 && error.detail.startsWith("The service is starting")

/** Seconds that a service may take to start. */
const maxStart = 30

/** Rejects when the signal is aborted. */
export const pause = (millis: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, millis)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  })

/** Milliseconds: what the service asks for, otherwise longer each time. */
export const retryDelay = (attempt: number, error?: unknown): number =>
  error instanceof SvcError && error.retryAfter !== undefined
    ? error.retryAfter * 1000
    : Math.min(200 * 2 ** attempt, 5000)

const queryOf = (query: object = {}): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === undefined || each === null) continue
      search.append(name, typeof each === "object" ? JSON.stringify(each) : String(each))
    }
  }
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const failureOf = (url: string, error: unknown, signal?: AbortSignal, hint = ""): unknown =>
  signal?.aborted === true ? signal.reason : new SvcConnectionError(url, error, hint)

/** Pages do not get these codes. */
const schemeHint = (url: string, error: unknown): string => {
  const { cause } = (error instanceof Error ? error : {}) as { readonly cause?: { readonly code?: unknown } }
  const code = String(cause?.code)
  if (/^https:/i.test(url)) {
    return /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/.test(code)
      ? ". What responds there does not speak https. If it is the service, begin baseUrl with http://"
      : ""
  }
  return /^(UND_ERR_SOCKET|ECONNRESET)$/.test(code)
    ? ". If the service speaks https, begin baseUrl with https://"
    : ""
}

/** Browsers do not tell a page whether a service of another origin is away, or refuses the page. */
const corsHint = (url: string): string => {
  const { location } = globalThis as { readonly location?: { readonly origin: string } | undefined }
  if (location === undefined || new URL(url, location.origin).origin === location.origin) return ""
  return `. The service is away, or it refuses pages of ${location.origin} (CORS): its setting CORS_ORIGIN_LIST must ` +
    `have ${location.origin}`
}

const binary = /^(application\/octet-stream$|image\/|audio\/|video\/)/

const typeOf = (response: Response): string => response.headers.get("content-type")?.split(";")[0]?.trim() ?? ""

/** Something else than the service has responded: a page of a proxy, or of a site with the same address. */
const unexpected = async (url: string, response: Response): Promise<SvcError> => {
  await response.body?.cancel()
  return new SvcError(response.status, { detail: foreign(url, response) }, response.headers)
}

const foreign = (url: string, response: Response): string => {
  const status = response.ok ? "" : `${response.status} and `
  return `${url} responded with ${status}${typeOf(response) || "no content type"}. ${wrongBase}`
}

const wrongBase = "Is baseUrl the address of a service of Svc?"

/** The body of an error. Each error of the service has a code; other programs have paths of their own. */
const errorBody = (url: string, response: Response, text: string): unknown => {
  const body = parsed(text) as { readonly detail?: unknown; readonly error_code?: unknown } | null
  const isOfService = typeof body?.error_code === "string" || transient.has(response.status)
  if (isOfService) return body
  if (typeof body?.detail !== "string" || body.detail === "") return { detail: foreign(url, response) }
  return response.status === 404 ? { ...body, detail: `${url}: ${body.detail}. ${wrongBase}` } : body
}

/** Of what the service has not used of a request. */
const warnings = /\b299 \S+ "([^"]*)"/g

/** Texts of which is known that they were shown. */
const maxWarnings = 1000

// oxlint-disable-next-line no-console -- for people who write programs with the client
const show = (text: string): void => console.warn(`Svc: ${text}`)

const example = `new Svc({ baseUrl: "http://127.0.0.1:7777" })`

/** By the names of the options: what other clients call them. */
const meanings: Readonly<Record<keyof ConnectionOptions, string>> = {
  baseUrl: "address apiUrl endpoint host server url uri",
  token: "accessToken apiKey auth authToken bearer key",
  headers: "defaultHeaders requestHeaders",
  fetch: "customFetch fetcher",
  retries: "maxRetries retry",
  onWarning: "logger warn"
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "")

const isNamed = (name: string, others: string): boolean => others.split(" ").some((each) => plain(each) === plain(name))

/** An option that has no effect, such as a key that is not sent, would be missed late. */
const checkOptions = (options: object): void => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(meanings, name)) continue
    const meant = Object.entries(meanings).find(([option, others]) => isNamed(name, `${option} ${others}`))?.[0]
    const todo = meant === undefined
      ? `Its options are ${Object.keys(meanings).join(", ")}`
      : `Did you mean '${meant}'?`
    throw new TypeError(`new Svc: there is no option '${name}'. ${todo}`)
  }
}

const baseOf = (options: Partial<ConnectionOptions> | undefined): string => {
  const given = options?.baseUrl
  if (typeof options === "object" && options !== null) checkOptions(options)
  if (typeof given !== "string") throw new TypeError(`new Svc needs a baseUrl: ${example}`)
  // pages of the service itself need no more than a path
  if (!/^(?:[a-z][a-z0-9+.-]*:\/\/|[./]|$)/i.test(given)) {
    throw new TypeError(`new Svc: baseUrl must begin with http:// or https://, as in ${example}`)
  }
  return given.replace(/(?<!\/)\/+$/, "")
}

export class Connection {
  readonly #options: ConnectionOptions
  readonly #base: string
  readonly #warned = new Set<string>()

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#base = baseOf(options)
  }

  /** Streams that are cut, or cannot begin yet, are opened again. */
  get reopens(): boolean {
    return this.#options.retries !== 0
  }

  #urlOf({ path, query }: Call): string {
    return `${this.#base}${path}${queryOf(query)}`
  }

  async #once(call: Call): Promise<Response> {
    const { body, contentType, headers, idempotencyKey, method, signal } = call
    const { fetch: send = fetch, headers: always, token } = this.#options
    const url = this.#urlOf(call)
    const bearer = typeof token === "function" ? await token() : token
    const request = new Headers({ ...always, ...headers })
    if (bearer !== undefined) request.set("authorization", `Bearer ${bearer}`)
    if (contentType !== undefined) request.set("content-type", contentType)
    if (idempotencyKey !== undefined) request.set("idempotency-key", idempotencyKey)
    const response = await send(url, {
      method,
      headers: request,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal })
    }).catch((error: unknown) => {
      throw failureOf(url, error, signal, corsHint(url) || schemeHint(url, error))
    })
    this.#warn(response)
    if (response.ok) return response
    const text = await response.text().catch(() => "")
    signal?.throwIfAborted()
    throw new SvcError(response.status, errorBody(url, response, text), response.headers)
  }

  #warn({ headers }: Response): void {
    for (const [, text = ""] of (headers.get("warning") ?? "").matchAll(warnings)) this.warn(text)
  }

  /** Shows what has no effect, once. */
  warn(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= maxWarnings) return
    this.#warned.add(text)
    const { onWarning = show } = this.#options
    onWarning(text)
  }

  /** A service that is starting is waited for. */
  async #started(call: Call): Promise<Response> {
    try {
      return await this.#once(call)
    } catch (error) {
      if (!this.reopens || !isStarting(error)) throw error
      await this.#ready(call.signal)
      return await this.#once(call)
    }
  }

  async #ready(signal: AbortSignal | undefined): Promise<void> {
    const ready: Call = { method: "GET", path: "/ready", signal }
    for (let waited = 0; waited < maxStart; waited++) {
      await pause(1000, signal)
      const isReady = await this.#once(ready).then((response) => response.text()).then(() => true, (error: unknown) => {
        if (isTransient(error)) return false
        throw error
      })
      if (isReady) return
    }
    const detail = `The service at ${this.#base} is still starting after ${maxStart} seconds: wait until ` +
      `${this.#base}/ready responds with 200`
    throw new SvcError(503, { detail, error_code: "SERVICE_UNAVAILABLE" }, new Headers())
  }

  /** A read is repeated after a transient failure, and so is a request with an idempotency key. */
  async #repeated<A>(call: Call, use: (response: Response) => Promise<A>): Promise<A> {
    const maxRetries = call.method === "GET" || call.idempotencyKey !== undefined ? this.#options.retries ?? 2 : 0
    for (let attempt = 0;; attempt++) {
      try {
        return await use(await this.#started(call))
      } catch (error) {
        if (attempt >= maxRetries || !isTransient(error)) throw error
        await pause(retryDelay(attempt, error), call.signal)
      }
    }
  }

  /** The value of a JSON response, the bytes of a medium, the text of another one, or nothing of an empty one. */
  json(call: Call): Promise<unknown> {
    return this.#repeated(call, async (response) => {
      const type = typeOf(response)
      if (type === "text/html") throw await unexpected(this.#urlOf(call), response)
      const read: Promise<unknown> = type === "application/json"
        ? response.text().then((text) => JSON.parse(text))
        : binary.test(type)
        ? response.blob()
        : response.text()
      const value = await read.catch((error: unknown) => {
        throw failureOf(this.#urlOf(call), error, call.signal)
      })
      return value === "" ? undefined : value
    })
  }

  /** A run. Another program can respond with anything. */
  async run(call: Call): Promise<unknown> {
    const value = await this.json(call)
    if (typeof value === "object" && value !== null && "run_id" in value) return value
    const detail = `${this.#urlOf(call)} responded with something that is no run. ${wrongBase}`
    throw new SvcError(200, { detail }, new Headers())
  }

  /** Opens a stream. Its events follow, each with its id. */
  async open(call: Call): Promise<Events> {
    const response = await this.#repeated(call, async (opened) => opened)
    if (response.body === null || typeOf(response) !== "text/event-stream") {
      throw await unexpected(this.#urlOf(call), response)
    }
    return this.#events(call, response.body)
  }

  async *#events(call: Call, body: ReadableStream<Uint8Array>): Events {
    try {
      for await (const { data, id } of messages(body)) yield [id, JSON.parse(data)]
    } catch (error) {
      throw failureOf(this.#urlOf(call), error, call.signal)
    }
  }
}
