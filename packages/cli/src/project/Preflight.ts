// Checks before a secret is sent: the user trusts the address, and the connection is encrypted.
import * as ServiceAccounts from "@svc/client/ServiceAccounts"
import { Effect, type Redacted } from "effect"
import { isAccountToken } from "../admin/AdminCredential.ts"
import { CommandFailed } from "../CliError.ts"
import { isHttps, isLoopback } from "../discovery/Address.ts"
import type { Descriptor } from "../discovery/Discovery.ts"
import { variable } from "../discovery/ServiceCandidates.ts"
import { Prompts } from "../terminal/Prompts.ts"

const question = ({ url, url_source: source, url_source_file: file }: Descriptor): string =>
  source === "env-file"
    ? `Trust ${variable}=${url} (from ${file})?`
    : `Trust ${url} (from your ${file} MCP config)?`

/** An address from a file in the working directory or from another program's config can be malicious. */
export const trust = Effect.fn("Gates.trust")(function*(descriptor: Descriptor, yes: boolean) {
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

/** `what` is a secret that is sent or received. */
export const refusePlaintext = Effect.fn("Gates.refusePlaintext")(function*(
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

/**
 * A service without authentication would give tokens to any caller. There, only the token of a service account is
 * useful, because the service verifies it. `advice` is added to the hint.
 */
export const refuseOpenMinting = Effect.fn("Gates.refuseOpenMinting")(function*(
  { auth_mode: mode, url }: Descriptor,
  credential: Redacted.Redacted | undefined,
  advice = ""
) {
  if (mode !== "none") return
  if (credential !== undefined) {
    if (isAccountToken(credential)) return
    return yield* new CommandFailed({
      message: `${url} has no authorization configured: only a service-account token can mint there`,
      hint: "Export a minted token as PLATFORM_ADMIN_TOKEN, or close the service with OS_SECURITY_KEY or JWT " +
        `keys.${advice}`
    })
  }
  // a success without a credential proves an open service; other responses can come from a proxy
  const isOpen = yield* Effect.isSuccess(ServiceAccounts.check({ url }))
  if (!isOpen) return
  return yield* new CommandFailed({
    message: `${url} has no authentication configured and refuses anonymous minting`,
    hint: `Set OS_SECURITY_KEY (or JWT keys) on the service and start it again.${advice}`
  })
})
