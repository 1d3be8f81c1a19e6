// Who approves a client, and what the client gets of their rights.
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import { Effect, Redacted } from "effect"
import * as AccountToken from "../AccountToken.ts"
import { Authenticator } from "../Authenticator.ts"
import { isSameSecret } from "../isSameSecret.ts"

/** The person who approves a client. */
export interface Person {
  /** The user of the credential, if it names one. */
  readonly user_id: Ids.UserId | undefined
  /** The hash of the service account, if a service account consents. */
  readonly account_hash: string | null
  /** The rights of the person. A person without grants has all rights. */
  readonly grants: Scope.Grants | undefined
}

const everything: Person = { user_id: undefined, account_hash: null, grants: undefined }

/** Credentials that stand for a person. The service's own and an open service's do not. */
const isPersonal = ({ credential }: Principal.Principal): boolean =>
  credential === "jwt" || credential === "service_account" || credential === "security_key"

/** A token whose claims limit its runs: tokens of a client would not have these limits. The tenant is in the user. */
const isLimited = ({ dependencies, session_id, session_state, tenant, user_id }: Principal.Principal): boolean =>
  session_id !== undefined || (tenant !== undefined && user_id === undefined) || Object.keys(dependencies).length > 0 ||
  Object.keys(session_state).length > 0

/** Recognizes a person by the connect secret, or by a credential of the service. Undefined: neither. */
export const make = (connectSecret: Redacted.Redacted | undefined) =>
  Effect.map(
    Authenticator,
    ({ authenticatePresented }) =>
      Effect.fnUntraced(function*(given: string, address: string | undefined) {
        const secret = Redacted.make(given, { label: "secret" })
        if (connectSecret !== undefined && isSameSecret(secret, connectSecret)) return everything
        const principal = yield* authenticatePresented(secret, address).pipe(
          Effect.catchTags({
            CredentialMissing: () => Effect.succeed(undefined),
            InvalidAccountToken: () => Effect.succeed(undefined),
            KeyRejected: () => Effect.succeed(undefined),
            TokenRejected: () => Effect.succeed(undefined),
            TooManyAttempts: () => Effect.succeed(undefined)
          })
        )
        if (principal === undefined || !isPersonal(principal) || isLimited(principal)) return undefined
        const person: Person = {
          user_id: principal.user_id,
          account_hash: principal.credential === "service_account" ? AccountToken.hash(secret) : null,
          grants: principal.isScoped ? principal.grants : undefined
        }
        return person
      })
  )

/** The user whose data the client touches. Without one, the client has its own. */
export const userOf = ({ user_id }: Person, client_id: string): Ids.UserId =>
  user_id ?? Ids.UserId.make(`__oauth__:${client_id}`)

/** What was requested and the person has. A right for one component is granted where that for all was requested. */
export const granted = (
  { grants }: Person,
  requested: ReadonlyArray<string>,
  adminScope: string
): ReadonlyArray<string> => {
  if (grants === undefined) return requested
  const wanted = Scope.grants(requested, adminScope)
  const narrower = grants.scopes.filter((scope) => scope !== adminScope && Scope.covers(wanted, scope))
  return [...new Set([...requested.filter((scope) => Scope.covers(grants, scope)), ...narrower])]
}
