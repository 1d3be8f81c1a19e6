// Requests over `fetch`: credentials, errors of the service, and repetitions of reads.
import type { Options } from "./Options.ts"
import { SvcConnectionError, SvcError } from "./SvcError.ts"

export interface ConnectionOptions {
  /** For example `http://127.0.0.1:7777`, with the prefix of a proxy if there is one. */
  readonly baseUrl: string
  /** A bearer token, or a function that is called for each request, for tokens that are renewed. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The `fetch` of the platform when left out. */
  readonly fetch?: typeof fetch | undefined
  /** How often a read is repeated after a failure of the network, or after 429, 502, 503 and 504. 2 when left out. */
  readonly retries?: number | undefined
}

export interface Call extends Options {
  readonly method: string
  readonly path: string
  readonly query?: object | undefined
  readonly body?: BodyInit | undefined
  readonly contentType?: string | undefined
}

const transient = new Set([429, 502, 503, 504])

export const isTransient = (error: unknown): boolean =>
  error instanceof SvcConnectionError || (error instanceof SvcError && transient.has(error.status))

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
export const patience = (attempt: number, error?: unknown): number =>
  error instanceof SvcError && error.retryAfter !== undefined
    ? Math.min(error.retryAfter, 60) * 1000
    : Math.min(200 * 2 ** attempt, 5000)

const queryOf = (query: object = {}): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) search.append(name, String(each))
    }
  }
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

const bodyOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export class Connection {
  readonly #options: ConnectionOptions
  readonly #base: string

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#base = options.baseUrl.replace(/\/+$/, "")
  }

  async #once({ body, contentType, headers, idempotencyKey, method, path, query, signal }: Call): Promise<Response> {
    const { fetch: send = fetch, headers: always, token } = this.#options
    const url = `${this.#base}${path}${queryOf(query)}`
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
      throw signal?.aborted === true ? signal.reason : new SvcConnectionError(url, error)
    })
    if (!response.ok) throw new SvcError(response.status, await bodyOf(response), response.headers)
    return response
  }

  /** A read is repeated after a transient failure, and so is a request with an idempotency key. */
  async #repeated<A>(call: Call, use: (response: Response) => Promise<A>): Promise<A> {
    const most = call.method === "GET" || call.idempotencyKey !== undefined ? this.#options.retries ?? 2 : 0
    for (let attempt = 0;; attempt++) {
      try {
        return await use(await this.#once(call))
      } catch (error) {
        if (attempt >= most || !isTransient(error)) throw error
        await pause(patience(attempt, error), call.signal)
      }
    }
  }

  open(call: Call): Promise<Response> {
    return this.#repeated(call, async (response) => response)
  }

  /** The value of a JSON answer, the text of another one, or nothing of an empty one. */
  json(call: Call): Promise<unknown> {
    return this.#repeated(call, async (response) => {
      const text = await response.text().catch((error: unknown) => {
        throw call.signal?.aborted === true ? call.signal.reason : new SvcConnectionError(response.url, error)
      })
      if (text === "") return undefined
      return response.headers.get("content-type")?.startsWith("application/json") === true ? JSON.parse(text) : text
    })
  }
}
