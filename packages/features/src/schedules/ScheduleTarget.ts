// Executes the requests of schedules in this process. The scheduler is built before the routes, and waits for this.
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Conversations from "@svc-runtime/agents/runService/Conversations"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { Authenticator, InternalToken, ServiceAccounts } from "@svc-runtime/auth"
import type * as Ids from "@svc-runtime/domain/Ids"
import { onFirstUse } from "@svc-runtime/fetch"
import { Context, Effect, Layer, Option, Redacted, Stream } from "effect"
import { HttpClient, HttpClientRequest, HttpServer } from "effect/http"
import { ended, failed } from "./outcomes.ts"
import type * as Schedule from "./Schedule.ts"
import * as ScheduledRun from "./ScheduledRun.ts"
import { type Attempt, type Execute, Scheduling } from "./Scheduling.ts"

// Executes a schedule that does not run a component: sends one request to this process over the loopback interface,
// with the internal token.

interface Options {
  readonly client: Effect.Effect<HttpClient.HttpClient>
  /** Undefined where the service does not listen. */
  readonly address: HttpServer.HttpServer["Service"]["address"] | undefined
  readonly token: Redacted.Redacted | undefined
}

/** The most bytes that are read of a response. */
const maxBytes = 64 * 1024

/** A wildcard address is reached over the loopback interface. */
const urlOf = (address: NonNullable<Options["address"]>, endpoint: string): string =>
  `${HttpServer.formatAddress(address).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")}${endpoint}`

const requestOf = (
  { method, payload }: Pick<Schedule.Schedule, "method" | "payload">,
  url: string,
  headers: Readonly<Record<string, string>>
) => {
  const request = HttpClientRequest.make(method as "POST")(url, { headers })
  const isEmpty = payload === null || Object.keys(payload).length === 0
  return isEmpty || method === "GET" ? request : HttpClientRequest.bodyJsonUnsafe(request, payload)
}

const textOf = <E>(body: Stream.Stream<Uint8Array, E>) => {
  const parts: Array<Uint8Array> = []
  let length = 0
  return Effect.as(
    Stream.runForEachWhile(body, (part) =>
      Effect.sync(() => {
        parts.push(part)
        length += part.length
        return length < maxBytes
      })),
    parts
  ).pipe(Effect.map((read) => Buffer.concat(read).subarray(0, maxBytes).toString("utf8").replaceAll("\0", "\ufffd")))
}

const scheduledRequest = ({ address, client, token }: Options) =>
  Effect.fnUntraced(function*({ run, schedule, seconds }: Attempt) {
    if (address === undefined) return failed("The service does not listen on an address")
    const url = urlOf(address, schedule.endpoint)
    const headers = {
      // after a crash the request is sent again, and endpoints with idempotency respond without a second execution
      "idempotency-key": run.id,
      ...(token === undefined
        ? {}
        : { authorization: `Bearer ${Redacted.value(InternalToken.of(token, schedule.author))}` })
    }
    const responded = (yield* client).execute(requestOf(schedule, url, headers)).pipe(
      Effect.flatMap((response) => Effect.map(textOf(response.stream), (text) => [response.status, text] as const)),
      Effect.scoped,
      Effect.map(([status_code, text]) =>
        status_code >= 200 && status_code < 300
          ? ended({ status: "success", status_code })
          : failed(text, { status_code })
      ),
      Effect.catch((error) => Effect.succeed(failed(error.message))),
      Effect.timeoutOption(`${Math.max(0, seconds)} seconds`)
    )
    return Option.getOrElse(
      yield* responded,
      () => failed(`The request took longer than ${schedule.timeout_seconds} s`)
    )
  })

/**
 * Attempts of an author who may not act start nothing, also if another account has the name now. A run that one has
 * started before a crash is awaited.
 */
export const whileActive = (isActive: (author: Ids.UserId) => Effect.Effect<boolean>, execute: Execute): Execute =>
  Effect.fnUntraced(function*(attempt) {
    const { isLast, run: { run_id }, schedule: { author } } = attempt
    const mayAct = author === null ? Effect.succeed(true) : isActive(author)
    if (run_id === null && (isLast || !(yield* mayAct))) {
      const revoked = failed(`It was made by the service account '${author}', which was revoked or has expired`)
      return { ...revoked, isLast: true }
    }
    const outcome = yield* execute(attempt)
    return outcome.status === "failed" && !(yield* mayAct) ? { ...outcome, isLast: true } : outcome
  })

/** A schedule has its own timeout. */
const client = Layer.build(NodeHttpClient.layerUndiciOptions({ headersTimeout: 0, bodyTimeout: 0 })).pipe(
  Effect.map((context) => Context.get(context, HttpClient.HttpClient)),
  onFirstUse
)

const make = Effect.gen(function*() {
  const { bind } = yield* Scheduling
  const { schedulerFor, settings } = yield* Authenticator
  const { isActive } = yield* ServiceAccounts
  const server = yield* Effect.serviceOption(HttpServer.HttpServer)
  const run = ScheduledRun.make(yield* RunService, schedulerFor, yield* Conversations.show)
  const request = scheduledRequest({
    client: yield* client,
    address: Option.getOrUndefined(server)?.address,
    token: settings.internalToken
  })
  // waits while the database does not reply
  const isActiveAgain = (author: Ids.UserId) =>
    Effect.orDie(AwaitedRun.retryWhile(isActive(author), AwaitedRun.isTransient))
  const execute = (attempt: Attempt) => {
    const component = ScheduledRun.componentOf(attempt.schedule)
    return component === undefined ? request(attempt) : run(component, attempt)
  }
  yield* bind(whileActive(isActiveAgain, execute))
})

export const layer = Layer.effectDiscard(make)
