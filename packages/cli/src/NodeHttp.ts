// HTTP with Node's own client, because loading `fetch` takes longer than starting Node. Redirects are followed, without
// credentials to another origin. Proxies of the environment are used, but not for loopback addresses.
// `NODE_EXTRA_CA_CERTS` (by Node) and `SSL_CERT_FILE` are supported.
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { readFileSync } from "node:fs"
import * as http from "node:http"
import { Readable } from "node:stream"
import { isLoopback } from "./discovery/Address.ts"
import { Environment } from "./Environment.ts"

type Variable = Environment["Service"]["variable"]

const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()])

const proxyEnv = (url: URL, variable: Variable) =>
  isLoopback(url.href) ? {} : { proxyEnv: Object.fromEntries(proxies.map((name) => [name, variable(name)])) }

const failed = (request: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

type Begin = (options: http.RequestOptions) => http.ClientRequest

/** TLS is loaded on demand: most services are on the same machine. */
const secure = (url: URL, variable: Variable): Promise<Begin> =>
  Promise.all([import("node:https"), import("node:tls")]).then(([https, tls]) => {
    const file = variable("SSL_CERT_FILE")
    const ca = file === undefined ? {} : { ca: [...tls.rootCertificates, readFileSync(file, "utf8")] }
    const agent = new https.Agent({ ...proxyEnv(url, variable), ...ca })
    return (options) => https.request(url, { ...options, agent })
  })

/** Creates a request. An invalid address fails when it is executed. */
const transport = (request: HttpClientRequest.HttpClientRequest, url: URL, variable: Variable) => {
  if (url.protocol === "https:") {
    return Effect.tryPromise({ try: () => secure(url, variable), catch: (cause) => failed(request, cause) })
  }
  const agent = new http.Agent(proxyEnv(url, variable))
  return Effect.succeed<Begin>((options) => http.request(url, { ...options, agent }))
}

const bytesOf = (message: http.IncomingMessage): Promise<ArrayBuffer> =>
  message.toArray().then((chunks) => new Uint8Array(Buffer.concat(chunks as Array<Buffer>)).buffer)

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

const execute = (variable: Variable) =>
  HttpClient.make((request, url, signal) =>
    Effect.gen(function*() {
      const begin = yield* transport(request, url, variable)
      const outgoing = yield* Effect.try({
        try: () => begin({ method: request.method, headers: request.headers, signal }),
        catch: (cause) => failed(request, cause)
      })
      return yield* Effect.callback<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>(
        (resume) => {
          outgoing.on("response", (message) => resume(Effect.succeed(responseOf(request, message))))
          // errors after the start of the response fail the body; this call has no effect then
          outgoing.on("error", (cause) => resume(Effect.fail(failed(request, cause))))
          // all request bodies are complete texts
          outgoing.end(request.body._tag === "Uint8Array" ? request.body.body : undefined)
          return Effect.sync(() => outgoing.destroy())
        }
      )
    })
  )

export const layer = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Environment, ({ variable }) => HttpClient.followRedirects(execute(variable)))
)
