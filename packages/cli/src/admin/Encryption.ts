// Checks that the connection to a service is encrypted, before a secret is sent or received.
import { Effect } from "effect"
import { CommandFailed } from "../CliError.ts"
import { isHttps, isLoopback } from "../discovery/Address.ts"

/** `what` is a secret that is sent or received. */
export const check = Effect.fn("Encryption.check")(function*(
  what: string,
  url: string,
  allowHttp: boolean
) {
  if (allowHttp || isHttps(url) || isLoopback(url)) return
  return yield* new CommandFailed({
    message: `Refusing to send ${what} to ${url}: it would travel as plaintext HTTP`,
    hint: "Use an https address, or --allow-http when the network between is private."
  })
})
