// The derived client of one endpoint. It is loaded by the first request, because commands without one do not need it.
import { Effect, type Redacted, type Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient, type HttpApiGroup } from "effect/http-api"

/** Sends a request that the schemas of the endpoint encode. The response is not decoded. */
type Send = (
  request: Readonly<Record<string, unknown>>
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError | Schema.SchemaError>

interface Access {
  readonly url: string
  readonly token: Redacted.Redacted | undefined
}

export const derived = ({ token, url }: Access, group: HttpApiGroup.Constraint, name: string) =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    HttpApiClient.endpoint(HttpApi.make("svc").add(group as never), {
      group: group.identifier as never,
      endpoint: name as never,
      baseUrl: url,
      httpClient: token === undefined ? client : HttpClient.mapRequest(client, HttpClientRequest.bearerToken(token))
    }) as Effect.Effect<Send>)
