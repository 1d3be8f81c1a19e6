// Sends requests to addresses of callers. It reaches public addresses only, and the network of the service if its
// operator allows it.
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Duration, Effect, identity, Layer, type Scope, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import { checkUrl, portOf } from "./checkUrl.ts"
import { type FetchError, FetchFailed, FetchRejected } from "./FetchError.ts"
import * as FetchPolicy from "./FetchPolicy.ts"
import { guardedLookup, type Resolve, systemResolve } from "./guardedLookup.ts"
import { onFirstUse } from "./onFirstUse.ts"
import { privateResolve } from "./privateResolve.ts"
import { publicResolve } from "./publicResolve.ts"

type Algorithm = (
  body: Uint8Array,
  options: { readonly maxOutputLength: number },
  callback: (error: Error | null, result: Buffer) => void
) => void

const algorithms: Readonly<Record<"br" | "deflate" | "gzip" | "x-gzip", Algorithm>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflate,
  br: brotliDecompress
}

const isKnown = (encoding: string): encoding is keyof typeof algorithms => Object.hasOwn(algorithms, encoding)

/** Decompresses a body, unless it has more bytes than the maximum. */
const decompress = (
  body: Uint8Array,
  encoding: string | undefined,
  maxBytes: number
): Effect.Effect<Uint8Array | undefined, FetchFailed> => {
  const name = encoding?.trim().toLowerCase() ?? "identity"
  if (name === "identity" || name === "" || body.length === 0) return Effect.succeed(body)
  const failed = (message: string) => Effect.fail(new FetchFailed({ reason: "connection", message }))
  if (!isKnown(name)) return failed(`The response is compressed with ${name.slice(0, 50)}, which was not asked for`)
  return Effect.callback((resume) =>
    algorithms[name](body, { maxOutputLength: maxBytes }, (error, result) => {
      if (error === null) resume(Effect.succeed(result))
      else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") resume(Effect.succeed(undefined))
      else resume(failed("The compressed response is damaged"))
    })
  )
}

export interface Options extends FetchPolicy.PolicyOptions {
  /** Default: 10 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** The time limit of a request with its redirects and its body. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** Instead of asking the name servers, or the system. */
  readonly resolve?: Resolve | undefined
  /** Executes each request, with its time limit. A test whose clock is held executes them by real time. */
  readonly around?: (<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) | undefined
}

export interface Request {
  readonly url: string
  /** A request with a body follows no redirects. */
  readonly method?: "GET" | "POST" | "DELETE" | undefined
  /** Not sent to another origin after a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: { readonly content: Uint8Array | string; readonly type: string } | undefined
  /** The limit of the body, also after it is decompressed. */
  readonly maxBytes: number
  /** A response ends with its headers: its body is not read. */
  readonly ignoresBody?: boolean | undefined
  /**
   * Bytes a second, over all of the body: one that takes more than ten seconds and arrives more slowly is refused.
   * Default: none, because a response can be written as it is made.
   */
  readonly minRate?: number | undefined
  /** Media types of successful responses: `text/html`, `text/*`. Default: all. */
  readonly types?: ReadonlyArray<string> | undefined
}

/** A response whose body has not been read. Its connection closes with the scope. */
export interface Opened {
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Fails beyond `maxBytes`. */
  readonly body: Stream.Stream<Uint8Array, FetchError>
}

export interface Fetched {
  /** After redirects. */
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const maxRedirects = 5

/** Seconds of a body before its rate counts. */
const rateAfter = 10

/** Informational responses (1xx) before a response. Nothing else limits them, and each one costs time. */
const maxInformational = 10
const redirects = [301, 302, 303, 307, 308]

const own = { "user-agent": "svc", accept: "*/*", "accept-encoding": "gzip, br" }

const refused = (reason: FetchRejected["reason"], message: string) =>
  Effect.fail(new FetchRejected({ reason, message }))

/** A refusal of the look-up is a cause of a failed connection. */
function* causesOf(error: unknown, depth = 0): Generator<object> {
  if (typeof error !== "object" || error === null || depth > 8) return
  yield error
  if ("reason" in error) yield* causesOf(error.reason, depth + 1)
  if ("cause" in error) yield* causesOf(error.cause, depth + 1)
}

const codes: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name cannot be resolved now",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too large"
}

/** Nothing was sent. */
const unconnected = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]

const codeOf = (error: unknown): string | undefined => {
  for (const cause of causesOf(error)) if ("code" in cause && typeof cause.code === "string") return cause.code
  return undefined
}

const toError = (error: unknown, host: string): FetchError => {
  for (const cause of causesOf(error)) if (cause instanceof FetchRejected) return cause
  const code = codeOf(error)
  const reason = code !== undefined && unconnected.includes(code) ? "unconnected" : "connection"
  const why = code === undefined ? "the request failed" : codes[code] ?? code
  return new FetchFailed({ reason, message: `No response from ${host}: ${why}` })
}

/** Counts the informational responses to one request, and breaks off a request with too many of them. */
const informational = (host: string) => {
  let count = 0
  return () => {
    count += 1
    if (count <= maxInformational) return
    throw new FetchRejected({
      reason: "too_large",
      message: `${host} sends more than ${maxInformational} informational responses (1xx)`
    })
  }
}

const hasType = (types: ReadonlyArray<string>, type: string): boolean =>
  types.some((allowed) => allowed === type || (allowed.endsWith("/*") && type.startsWith(allowed.slice(0, -1))))

const mediaTypeOf = (header: string | undefined): string => (header ?? "").replace(/;.*/s, "").trim().toLowerCase()

const tooLargeFor = (maxBytes: number, host: string) =>
  new FetchRejected({ reason: "too_large", message: `The response of ${host} has more than ${maxBytes} bytes` })

const bounded = (response: Response, maxBytes: number, host: string): Stream.Stream<Uint8Array, FetchError> =>
  Stream.suspend(() => {
    const tooLarge = tooLargeFor(maxBytes, host)
    if (Number(response.headers["content-length"] ?? 0) > maxBytes) return Stream.fail(tooLarge)
    let length = 0
    return response.stream.pipe(
      Stream.mapError((error) => toError(error, host)),
      Stream.mapEffect((part) => {
        length += part.length
        return length > maxBytes ? Effect.fail(tooLarge) : Effect.succeed(part)
      })
    )
  })

/** Fails when a body is slower than the rate. */
const watchRate = (minRate: number, bytes: () => number, host: string): Effect.Effect<never, FetchFailed> =>
  Effect.gen(function*() {
    for (let seconds = rateAfter;; seconds++) {
      yield* Effect.sleep(Duration.seconds(seconds === rateAfter ? rateAfter : 1))
      if (bytes() >= minRate * seconds) continue
      const message = `${host} sends less than ${minRate} bytes a second`
      return yield* new FetchFailed({ reason: "timeout", message })
    }
  })

const readBody = Effect.fnUntraced(function*(
  response: Response,
  { maxBytes, minRate }: Request,
  host: string
) {
  let bytes = 0
  const reading = Stream.runCollect(Stream.map(bounded(response, maxBytes, host), (part) => {
    bytes += part.length
    return part
  }))
  const parts = yield* minRate === undefined
    ? reading
    : Effect.raceFirst(reading, watchRate(minRate, () => bytes, host))
  const body = yield* decompress(Buffer.concat(parts), response.headers["content-encoding"], maxBytes)
  return body ?? (yield* Effect.fail(tooLargeFor(maxBytes, host)))
})

type Response = HttpClientResponse.HttpClientResponse

const make = Effect.fnUntraced(function*(options: Options) {
  const policy = FetchPolicy.make(options)
  // names of private networks can be known to this machine only
  const byAddress = !policy.allowPrivate && policy.networks.length === 0 ? publicResolve() : privateResolve()
  const connectTimeout = Duration.toMillis(Duration.fromInputUnsafe(options.connectTimeout ?? "10 seconds"))
  const timeout = Duration.fromInputUnsafe(options.timeout ?? "30 seconds")
  const { around = identity } = options
  // with undici, which is large
  const clientOf = (policy: FetchPolicy.FetchPolicy | "named") =>
    Effect.promise(() => import("./boundedConnect.ts")).pipe(
      Effect.flatMap(({ boundedConnect }) =>
        Layer.build(NodeHttpClient.layerUndiciOptions({
          connect: boundedConnect({
            // hosts that the operator allows by name are trusted to resolve
            lookup: guardedLookup(options.resolve ?? (policy === "named" ? systemResolve : byAddress), policy),
            timeout: connectTimeout
          }),
          // the next look-up decides again, also if the server would keep the connection for longer
          keepAliveTimeout: 1000,
          keepAliveMaxTimeout: 1000,
          maxHeaderSize: 16_384
        }))
      ),
      Effect.map((context) => HttpClient.withScope(Context.get(context, HttpClient.HttpClient))),
      onFirstUse
    )
  const [guarded, named] = [yield* clientOf(policy), yield* clientOf("named")]

  const send = Effect.fnUntraced(function*(url: URL, request: Request, isSameOrigin: boolean) {
    const { body, headers, method = "GET" } = request
    const client = yield* FetchPolicy.isNamed(policy, url.hostname, portOf(url)) ? named : guarded
    // as text: signatures cover the query as it is written
    const outgoing = HttpClientRequest.make(method)(url.href, {
      headers: { ...own, ...(isSameOrigin ? headers : {}) }
    })
    return yield* client.execute(
      body === undefined ? outgoing : typeof body.content === "string"
        ? HttpClientRequest.bodyText(outgoing, body.content, body.type)
        : HttpClientRequest.bodyUint8Array(outgoing, body.content, body.type)
    ).pipe(
      Effect.mapError((error) => toError(error, url.host)),
      Effect.provideService(NodeHttpClient.UndiciOptions, { onInfo: informational(url.host) }),
      // servers that callers name get no trace headers
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      // a query can have a signature, which is a secret
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
  })

  const follow = Effect.fnUntraced(function*(
    request: Request
  ): Effect.fn.Return<{ readonly url: URL; readonly response: Response }, FetchError, Scope.Scope> {
    let url = yield* checkUrl(request.url, policy)
    let isSameOrigin = true
    for (let count = 0;; count++) {
      const response: Response = yield* send(url, request, isSameOrigin)
      const location = response.headers["location"]
      const isFollowed = (request.method ?? "GET") === "GET" && redirects.includes(response.status)
      if (!isFollowed || location === undefined) return { url, response }
      if (count === maxRedirects) {
        return yield* refused("redirects", `${url.host} redirects more than ${maxRedirects} times`)
      }
      const next: URL = yield* checkUrl(URL.parse(location, url)?.href ?? location, policy)
      isSameOrigin = isSameOrigin && next.origin === url.origin
      url = next
    }
  })

  /** The response with its headers. Its body has one of the types. */
  const typed = Effect.fnUntraced(function*(request: Request) {
    const { response, url } = yield* follow(request)
    const type = mediaTypeOf(response.headers["content-type"])
    const isSuccess = response.status >= 200 && response.status < 300
    if (isSuccess && request.types !== undefined && !hasType(request.types, type)) {
      return yield* refused("type", `${url.host} responds with ${type || "no media type"}, which is not read`)
    }
    return { response, url }
  })

  const inTime = <A, R>(effect: Effect.Effect<A, FetchError, R>, { url }: Request) =>
    around(Effect.timeoutOrElse(effect, {
      duration: timeout,
      orElse: () =>
        Effect.fail(
          new FetchFailed({
            reason: "timeout",
            // a query can have a signature, which is a secret
            message: `No complete response within ${Duration.toSeconds(timeout)} seconds: ${
              url.replace(/[?#].*/s, "").slice(0, 200)
            }`
          })
        )
    }))

  const fetch = Effect.fn("SafeFetch.fetch")(
    function*(request: Request): Effect.fn.Return<Fetched, FetchError, Scope.Scope> {
      const { response, url } = yield* typed(request)
      const body = request.ignoresBody === true
        ? new Uint8Array()
        : yield* readBody(response, request, url.host)
      return { url: url.href, status: response.status, headers: { ...response.headers }, body }
    },
    (effect, request) => inTime(Effect.scoped(effect), request)
  )

  const open = Effect.fn("SafeFetch.open")(
    function*(request: Request): Effect.fn.Return<Opened, FetchError, Scope.Scope> {
      // a compressed body could not be read in parts
      const headers = { ...request.headers, "accept-encoding": "identity" }
      const { response, url } = yield* typed({ ...request, headers })
      const encoding = response.headers["content-encoding"] ?? "identity"
      if (encoding !== "identity") return yield* refused("format", `${url.host} compresses its stream`)
      return {
        url: url.href,
        status: response.status,
        headers: { ...response.headers },
        body: bounded(response, request.maxBytes, url.host)
      }
    },
    inTime
  )

  const check = (url: string) => Effect.asVoid(checkUrl(url, policy))

  return { check, fetch, open }
})

export class SafeFetch extends Context.Service<SafeFetch, {
  /** Checks a URL before its host is resolved. */
  readonly check: (url: string) => Effect.Effect<void, FetchRejected>
  readonly fetch: (request: Request) => Effect.Effect<Fetched, FetchError>
  /** Returns with the headers of the response: the timeout does not include the body. */
  readonly open: (request: Request) => Effect.Effect<Opened, FetchError, Scope.Scope>
}>()("@svc-runtime/fetch/SafeFetch") {
  static readonly layer = (options: Options = {}) => Layer.effect(SafeFetch, make(options))
}
