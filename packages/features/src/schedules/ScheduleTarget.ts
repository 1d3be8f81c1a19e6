// Executes the requests of schedules in this process. The scheduler is built before the routes, and waits for this.
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { Authenticator } from "@svc-runtime/auth"
import { Effect, Layer, Option } from "effect"
import { HttpClient, HttpServer } from "effect/http"
import * as ScheduledRequest from "./ScheduledRequest.ts"
import * as ScheduledRun from "./ScheduledRun.ts"
import { Scheduling } from "./Scheduling.ts"

const make = Effect.gen(function*() {
  const { bind } = yield* Scheduling
  const { scheduler, settings } = yield* Authenticator
  const server = yield* Effect.serviceOption(HttpServer.HttpServer)
  const run = ScheduledRun.make(yield* RunService, scheduler)
  const request = ScheduledRequest.make({
    client: yield* HttpClient.HttpClient,
    address: Option.getOrUndefined(server)?.address,
    token: settings.internalToken
  })
  yield* bind((attempt) => {
    const component = ScheduledRun.componentOf(attempt.schedule)
    return component === undefined ? request(attempt) : run(component, attempt)
  })
})

/** A schedule has its own timeout. */
const client = NodeHttpClient.layerUndiciOptions({ headersTimeout: 0, bodyTimeout: 0 })

export const layer = Layer.effectDiscard(make).pipe(Layer.provide(client))
