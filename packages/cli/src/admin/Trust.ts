// The checks before a secret is sent to a service or received from it: the connection is encrypted, and the user trusts
// the address.
import { Effect } from "effect"
import { CommandFailed } from "../CliError.ts"
import { isHttps, isLoopback } from "../discovery/Address.ts"
import type { Descriptor } from "../discovery/Discovery.ts"
import { variable } from "../discovery/ServiceCandidates.ts"
import { Prompts } from "../terminal/Prompts.ts"

/** `what` is a secret that is sent or received. */
export const checkEncryption = Effect.fn("Trust.checkEncryption")(function*(
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

const question = ({ url, url_source: source, url_source_file: file }: Descriptor): string =>
  source === "env-file"
    ? `Trust ${variable}=${url} (from ${file})?`
    : `Trust ${url} (from your ${file} MCP config)?`

/** An address from a file in the working directory or from another program's config can be malicious. */
export const checkAddress = Effect.fn("Trust.checkAddress")(function*(descriptor: Descriptor, yes: boolean) {
  const { url, url_source: source } = descriptor
  const isFound = source === "env-file" || source === "client-config"
  if (!isFound || isLoopback(url) || yes) return
  const prompts = yield* Prompts
  if (!(yield* prompts.isInteractive)) {
    return yield* new CommandFailed({
      message: `${url} is a remote host that was read from ${descriptor.url_source_file}`,
      hint: `Name it with --url ${url}, or trust it with --yes.`
    })
  }
  if (yield* prompts.confirm(question(descriptor), true)) return
  return yield* new CommandFailed({
    message: `You did not trust ${url}`,
    hint: "Name the service you mean with --url."
  })
})
