// Services without authentication, of which tokens are requested.
import { Effect, type Redacted } from "effect"
import { CommandFailed } from "../CliError.ts"
import type { Descriptor } from "../discovery/Discovery.ts"
import { isAccountToken } from "./AdminCredential.ts"
import * as ServiceAccounts from "./ServiceAccounts.ts"

/**
 * A service without authentication would give tokens to any caller. There, only the token of a service account is
 * useful, because the service verifies it. `advice` is added to the hint.
 */
export const refuse = Effect.fn("OpenService.refuse")(function*(
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
