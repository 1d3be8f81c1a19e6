// The client of the service that a command is about, with its credential, and errors that say what to do next.
import { Svc, SvcConnectionError, SvcError } from "@svc-runtime/client"
import { Effect, Redacted, Stream } from "effect"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { CommandFailed } from "../CliError.ts"
import type { Descriptor } from "../discovery/Discovery.ts"
import * as ServiceFetch from "./ServiceFetch.ts"

export interface Service {
  readonly url: string
  readonly svc: Svc
}

const hints: Readonly<Record<number, string>> = {
  401: "Export a valid token as PLATFORM_ADMIN_TOKEN.",
  403: "Export a token with the scope as PLATFORM_ADMIN_TOKEN. An operator makes one with svc tokens create.",
  429: "Wait, and try again.",
  503: "Try again when svc status finds the service ready."
}

const failed = (action: string) => (error: unknown): CommandFailed => {
  if (error instanceof SvcError) {
    const problems = error.problems.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`)
    // the detail is often the first of them
    const texts = problems.some((problem) => problem.endsWith(error.detail)) ? problems : [error.detail, ...problems]
    return new CommandFailed({
      message: `${action} failed: ${texts.join("; ")} (HTTP ${error.status})`,
      hint: hints[error.status],
      status: error.status
    })
  }
  if (error instanceof SvcConnectionError) {
    return new CommandFailed({
      message: `${action} failed: ${error.message}`,
      hint: "See whether it is up with svc status."
    })
  }
  return new CommandFailed({ message: `${action} failed: ${error instanceof Error ? error.message : String(error)}` })
}

/** Of a service that was found. */
export const of = Effect.fn("ServiceClient.of")(function*(found: Descriptor, given: AdminTarget.Given) {
  const { token, url } = yield* AdminTarget.access(found, given, { secretResponse: false })
  const svc = new Svc({
    baseUrl: url,
    fetch: yield* ServiceFetch.make,
    ...(token === undefined ? {} : { token: Redacted.value(token) })
  })
  const service: Service = { url, svc }
  return service
})

/** The service that is found or given. */
export const open = Effect.fn("ServiceClient.open")(function*(given: AdminTarget.Given) {
  return yield* of(yield* AdminTarget.find(given), given)
})

/** `action` is the subject of the sentence about a failure: `Listing sessions`. */
export const call = <A>(
  action: string,
  use: (options: { readonly signal: AbortSignal }) => Promise<A>
): Effect.Effect<A, CommandFailed> => Effect.tryPromise({ try: (signal) => use({ signal }), catch: failed(action) })

/** `action` is asked for when the stream fails. */
export const events = <A>(action: () => string, stream: AsyncIterable<A>): Stream.Stream<A, CommandFailed> =>
  Stream.fromAsyncIterable(stream, (error) => failed(action())(error))
