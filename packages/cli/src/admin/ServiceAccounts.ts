// The service accounts of the service, with errors that suggest the next step. The error for a name that is taken
// passes unchanged, because its handling differs by command.
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Clock, Effect, Schema } from "effect"
import * as ServiceAccounts from "../calls/ServiceAccounts.ts"
import { CommandFailed } from "../CliError.ts"
import { hint } from "./AdminCredential.ts"

export const isAccountName = Schema.is(ServiceAccount.Name)

export const accountNameRule = "Expected 1 to 63 characters of a-z, 0-9, - and _, not beginning with - or _"

export type { Access, Account, Minted, Request } from "../calls/ServiceAccounts.ts"
export type { NameTaken } from "../calls/ServiceAccounts.ts"

/** The service names a field of the request, where the tool has a flag. */
const inFlags = (detail: string): string => {
  const scopes = /allow_privileged_scopes=true: ([\w:*, ]+)/.exec(detail)?.[1]
  return scopes === undefined ? detail : `${scopes} ${scopes.includes(",") ? "are" : "is"} privileged`
}

const describeFailure = (action: string) => (failure: ServiceAccounts.Failure): CommandFailed => {
  switch (failure._tag) {
    case "CredentialRejected":
      return new CommandFailed({ message: `The service rejected the admin credential (${failure.detail})`, hint })
    case "CallFailed":
      return new CommandFailed({
        message: `${action} failed: ${inFlags(failure.detail)}`,
        hint: /allow_privileged_scopes|privileged scope/i.test(failure.detail)
          ? "Add --privileged if the account is meant to have them."
          : undefined
      })
    case "Unreachable":
      return new CommandFailed({ message: failure.message, hint: "See whether it is up with `svc status`." })
  }
}

export const create = (access: ServiceAccounts.Access, wanted: ServiceAccounts.Request) =>
  Effect.mapError(
    ServiceAccounts.create(access, wanted),
    (failure) =>
      failure._tag === "NameTaken" ? failure : describeFailure(`Creating service account ${wanted.name}`)(failure)
  )

export const list = (access: ServiceAccounts.Access) =>
  Effect.mapError(ServiceAccounts.list(access), describeFailure("Listing service accounts"))

export const findActive = (access: ServiceAccounts.Access, name: string) =>
  Effect.mapError(ServiceAccounts.findActive(access, name), describeFailure(`Looking up service account ${name}`))

export const revoke = (access: ServiceAccounts.Access, { id, name }: ServiceAccounts.Account) =>
  Effect.mapError(ServiceAccounts.revoke(access, id), describeFailure(`Revoking service account ${name}`))

/** Checks a credential. One that cannot read accounts may still create them, and is no failure. */
export const checkMinting = (access: ServiceAccounts.Access) =>
  ServiceAccounts.check(access).pipe(
    Effect.as(true),
    Effect.catchIf(
      (failure) => failure._tag === "CredentialRejected" && failure.status === 403,
      () => Effect.succeed(false)
    ),
    Effect.mapError(describeFailure("Checking the credential"))
  )

/** Revokes an account whose token is of no use. A failure is ignored: the account is then returned as active. */
export const revokeUnused = Effect.fn("ServiceAccounts.revokeUnused")(function*(
  access: ServiceAccounts.Access,
  account: ServiceAccounts.Account
) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return yield* revoke(access, account).pipe(
    Effect.as({ ...account, revoked_at: now }),
    Effect.orElseSucceed(() => account)
  )
})

export const unusedNoteOf = ({ name, revoked_at: revokedAt }: ServiceAccounts.Account): string =>
  revokedAt === null
    ? `Service account ${name} is left without use: revoke it with svc tokens revoke ${name}.`
    : `Service account ${name} was revoked again.`
