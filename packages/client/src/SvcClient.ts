// The typed client, derived from the HTTP contract without generated code. It needs an `HttpClient` and runs in Node,
// browsers and tests.
import { Api } from "@svc-runtime/features/Api"
import { Context, Effect, Layer, type Redacted, Schedule } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"

export interface Options {
  /** For example `http://127.0.0.1:7777`. */
  readonly baseUrl: string
  /** Sent as a bearer token. */
  readonly token?: Redacted.Redacted | undefined
}

const authorized = (token: Redacted.Redacted | undefined) =>
  token === undefined
    ? (client: HttpClient.HttpClient) => client
    : HttpClient.mapRequest(HttpClientRequest.bearerToken(token))

/** A read is retried; a run must not start twice because its response was lost. */
const isRead = (request: HttpClientRequest.HttpClientRequest) => request.method === "GET"

const retried = (client: HttpClient.HttpClient): HttpClient.HttpClient => {
  const patient = HttpClient.retryTransient(client, {
    schedule: Schedule.exponential("100 millis").pipe(Schedule.jittered),
    times: 3
  })
  return HttpClient.make((request) => (isRead(request) ? patient : client).execute(request))
}

/** Named, because its type is too long for a declaration. */
interface Client extends HttpApiClient.ForApi<typeof Api> {}

export class SvcClient extends Context.Service<SvcClient, Client>()("@svc-runtime/client/SvcClient") {
  static readonly layer = (options: Options): Layer.Layer<SvcClient, never, HttpClient.HttpClient> =>
    Layer.effect(
      SvcClient,
      Effect.map(
        HttpApiClient.make(Api, {
          baseUrl: options.baseUrl,
          transformClient: (client) => retried(authorized(options.token)(client))
        }),
        SvcClient.of
      )
    )
}
