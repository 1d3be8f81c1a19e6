// The time in which the service of an evaluation does not respond, such as during its restart. All runs wait for it.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Context, Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { Access } from "../calls/Calls.ts"
import * as Discovery from "../calls/ServiceProbe.ts"
import { CommandFailed } from "../CliError.ts"

export interface Options {
  readonly access: Access
  /** Seconds after which an outage ends the evaluation. */
  readonly timeout: number
  /** Gets the reason of an outage that begins, and undefined when it ends. */
  readonly report: (reason: string | undefined) => Effect.Effect<void>
}

export class Outage extends Context.Service<Outage, {
  /** Called after a request without a response. */
  readonly begin: (reason: string) => Effect.Effect<void>
  /** Waits until the service responds again, and fails if it does not. */
  readonly end: Effect.Effect<void, CommandFailed, HttpClient.HttpClient>
  /** The reason of an outage that continues. */
  readonly problem: Effect.Effect<string | undefined>
}>()("@svc-runtime/cli/evaluation/Outage") {
  static readonly make = ({ access: { url }, report, timeout }: Options): Outage["Service"] => {
    let outage: { readonly since: number; readonly reason: string } | undefined

    const seconds = Effect.map(
      Monotonic.millis,
      (now) => outage === undefined ? 0 : (now - outage.since) / 1000
    )

    const problem = Effect.map(
      seconds,
      (seconds) => outage && `The service has not responded for ${Math.round(seconds)} seconds (${outage.reason})`
    )

    const begin = Effect.fnUntraced(function*(reason: string) {
      if (outage !== undefined) return
      outage = { since: yield* Monotonic.millis, reason }
      yield* report(reason)
    })

    /** Another run can have seen the end. */
    const responds = Effect.suspend(() =>
      outage === undefined ? Effect.succeed(true) : Effect.isSuccess(Discovery.health(url))
    )

    const end = Effect.gen(function*() {
      while (!(yield* responds)) {
        if ((yield* seconds) > timeout) {
          return yield* new CommandFailed({
            message: (yield* problem) ?? "The service has not responded",
            hint: "See whether it is up with svc status."
          })
        }
        yield* Effect.sleep("1 second")
      }
      if (outage === undefined) return
      outage = undefined
      yield* report(undefined)
    })

    return Outage.of({ begin, end, problem })
  }
}
