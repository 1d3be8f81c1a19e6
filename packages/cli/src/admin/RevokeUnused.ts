// Revokes an account whose token is of no use, and says so.
import { Clock, Effect } from "effect"
import * as ServiceAccounts from "./ServiceAccounts.ts"

/** A failure is ignored: the account is then returned as active. */
export const revokeUnused = Effect.fn("RevokeUnused.revokeUnused")(function*(
  access: ServiceAccounts.Access,
  account: ServiceAccounts.Account
) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return yield* ServiceAccounts.revoke(access, account).pipe(
    Effect.as({ ...account, revoked_at: now }),
    Effect.orElseSucceed(() => account)
  )
})

export const noteOf = ({ name, revoked_at: revokedAt }: ServiceAccounts.Account): string =>
  revokedAt === null
    ? `Service account ${name} is left without use: revoke it with svc tokens revoke ${name}.`
    : `Service account ${name} was revoked again.`
