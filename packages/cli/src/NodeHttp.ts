// HTTP with Node's own client, because loading `fetch` takes longer than starting Node. Redirects are followed, without
// credentials to another origin. Connections are kept for later requests to the same origin.
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { readdirSync, readFileSync } from "node:fs"
import * as http from "node:http"
import { join } from "node:path"
import { Readable } from "node:stream"
import { isLoopback } from "./discovery/Address.ts"
import { Environment } from "./Environment.ts"

// The proxies and certificate authorities of the environment.

type Variable = Environment["Service"]["variable"]

/** The value of a variable in lower case or upper case, as curl reads it. */
const either = (variable: Variable, name: string) => variable(name.toLowerCase()) ?? variable(name)

/** A proxy that is not supported must not be passed by: the network behind it may be watched. */
const proxyOf = (given: string): string => {
  const address = given.includes("://") ? given : `http://${given}`
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address
  const scheme = /^[a-z0-9+.-]+(?=:\/\/)/i.exec(address)?.[0] ?? "this"
  throw new Error(`the proxy of the environment cannot be used: ${scheme} is not supported, only http and https`)
}

/** The options of Node's agents. ALL_PROXY applies to a scheme without a proxy. Throws for an unsupported proxy. */
const proxiesFor = (url: URL, variable: Variable): Record<string, string | undefined> | undefined => {
  if (isLoopback(url.href)) return undefined
  const own = `${url.protocol.slice(0, -1).toUpperCase()}_PROXY`
  const proxy = either(variable, own) ?? either(variable, "ALL_PROXY")
  return proxy === undefined ? undefined : { [own]: proxyOf(proxy), NO_PROXY: either(variable, "NO_PROXY") }
}

const certificatesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => readFileSync(join(directory, entry.name), "utf8"))
    .filter((text) => text.includes("-----BEGIN CERTIFICATE-----"))

/** The authorities of SSL_CERT_FILE and SSL_CERT_DIR, beside those of node. Throws if they cannot be read. */
const authorities = (variable: Variable): ReadonlyArray<string> => {
  const file = variable("SSL_CERT_FILE")
  const directories = variable("SSL_CERT_DIR")?.split(process.platform === "win32" ? ";" : ":") ?? []
  return [
    ...(file === undefined ? [] : [readFileSync(file, "utf8")]),
    ...directories.filter((directory) => directory !== "").flatMap(certificatesIn)
  ]
}

const unknownAuthority = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT"
])

/** Node advises an option of its own, which users of this tool do not set, and says nothing of a wrong scheme. */
const explained = (url: string, cause: unknown): unknown => {
  if (!(cause instanceof Error) || !("code" in cause)) return cause
  const code = String(cause.code)
  if (unknownAuthority.has(code)) {
    return new Error(
      "the authority of its certificate is unknown: name its file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS"
    )
  }
  const isSecure = /^https:/i.test(url)
  if (isSecure && ["EPROTO", "ERR_SSL_WRONG_VERSION_NUMBER"].includes(code)) {
    return new Error("what responds there does not speak https. If it is the service, begin its address with http://")
  }
  return !isSecure && code === "ECONNRESET"
    ? new Error(
      "the connection was closed without a response. If the service speaks https, begin its address with https://"
    )
    : cause
}

const failed = (request: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, cause: explained(request.url, cause) })
  })

const invalid = (request: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, cause }) })

/** Starts requests to one origin, on connections that are kept between them. */
interface Origin {
  readonly begin: (url: URL, options: http.RequestOptions) => http.ClientRequest
  readonly close: () => void
}

/** A service may close a connection that waits longer, and a request on it would fail. */
const kept = { keepAlive: true, timeout: 1000 }

/** TLS is loaded on demand: most services are on the same machine. */
const secure = (url: URL, variable: Variable): Promise<Origin> =>
  Promise.all([import("node:https"), import("node:tls")]).then(([https, tls]) => {
    const more = authorities(variable)
    const agent = new https.Agent({
      ...kept,
      ...proxyEnv(url, variable),
      ...(more.length > 0 && { ca: [...tls.getCACertificates("default"), ...more] })
    })
    return { begin: (url, options) => https.request(url, { ...options, agent }), close: () => agent.destroy() }
  })

const plain = (url: URL, variable: Variable): Origin => {
  const agent = new http.Agent({ ...kept, ...proxyEnv(url, variable) })
  return { begin: (url, options) => http.request(url, { ...options, agent }), close: () => agent.destroy() }
}

const proxyEnv = (url: URL, variable: Variable) => {
  const proxies = proxiesFor(url, variable)
  return proxies === undefined ? {} : { proxyEnv: proxies }
}

/** The origins that were called. Their idle connections are closed with the scope. */
const origins = Effect.fnUntraced(function*(variable: Variable) {
  const byOrigin = new Map<string, Promise<Origin>>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const origin of byOrigin.values()) void origin.then(({ close }) => close(), () => undefined)
    })
  )
  return (url: URL): Promise<Origin> => {
    const opening = byOrigin.get(url.origin) ??
      (url.protocol === "https:" ? secure(url, variable) : Promise.resolve(url).then((url) => plain(url, variable)))
    byOrigin.set(url.origin, opening)
    return opening
  }
})

/** `toArray` of the stream does the same, and loads more of Node. */
const bytesOf = (message: http.IncomingMessage): Promise<ArrayBuffer> => {
  const { promise, reject, resolve } = Promise.withResolvers<ArrayBuffer>()
  const chunks: Array<Buffer> = []
  message.on("data", (chunk: Buffer) => chunks.push(chunk))
  message.once("error", reject)
  message.once("close", () => message.complete || reject(new Error("the connection was closed")))
  message.once("end", () => resolve(new Uint8Array(Buffer.concat(chunks)).buffer))
  return promise
}

/** The used part of a web `Response`. A real one would load all of `fetch`. */
const responseOf = (request: HttpClientRequest.HttpClientRequest, message: http.IncomingMessage) => {
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)])
  const source = {
    status: message.statusCode ?? 0,
    headers,
    arrayBuffer: () => bytesOf(message),
    get body() {
      return Readable.toWeb(message)
    }
  }
  return HttpClientResponse.fromWeb(request, source as unknown as Response)
}

/** A form is encoded by `fetch`, which is loaded only then. All other bodies are complete texts. */
const encoded = (request: HttpClientRequest.HttpClientRequest) => {
  const { body, headers } = request
  if (body._tag !== "FormData") {
    return Effect.succeed({ headers, body: body._tag === "Uint8Array" ? body.body : undefined })
  }
  const form = new Response(body.formData)
  const type = form.headers.get("content-type") ?? ""
  return Effect.map(
    Effect.tryPromise({ try: () => form.arrayBuffer(), catch: (cause) => invalid(request, cause) }),
    (bytes) => ({ headers: { ...headers, "content-type": type }, body: new Uint8Array(bytes) })
  )
}

const execute = (originOf: (url: URL) => Promise<Origin>) =>
  HttpClient.make((request, url, signal) =>
    Effect.gen(function*() {
      const { begin } = yield* Effect.tryPromise({
        try: () => originOf(url),
        catch: (cause) => failed(request, cause)
      })
      const { body, headers } = yield* encoded(request)
      const outgoing = yield* Effect.try({
        try: () => begin(url, { method: request.method, headers, signal }),
        catch: (cause) => invalid(request, cause)
      })
      return yield* Effect.callback<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>(
        (resume) => {
          outgoing.on("response", (message) => resume(Effect.succeed(responseOf(request, message))))
          // errors after the start of the response fail the body; this call has no effect then
          outgoing.on("error", (cause) => resume(Effect.fail(failed(request, cause))))
          outgoing.end(body)
          return Effect.sync(() => outgoing.destroy())
        }
      )
    })
  )

export const layer = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function*() {
    const { variable } = yield* Environment
    return HttpClient.followRedirects(execute(yield* origins(variable)))
  })
)
