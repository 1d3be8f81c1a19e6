// The requests of this tool have its name and version, and no trace headers, which foreign services should not see.
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { version } from "./version.ts"

export const asSvcctl = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  program.pipe(
    Effect.updateService(
      HttpClient.HttpClient,
      HttpClient.mapRequest(HttpClientRequest.setHeader("user-agent", `svcctl/${version}`))
    ),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )
