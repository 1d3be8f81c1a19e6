// Service accounts that the code of the application declares. Their tokens come from its configuration, and only their
// hashes are stored.
import { ServiceAccounts } from "@svc-runtime/auth"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Effect, Redacted, Schema } from "effect"
import { DeclarationRefused, type Item, type Kind, redacted, sha256 } from "./Declaration.ts"

export interface Declaration {
  /** 1 to 63 characters of a-z, 0-9, `-` and `_`. The account is the caller `sa:` and its name. */
  readonly name: string
  /**
   * From the environment: `svc_pat_` and at least 32 letters and digits. `echo svc_pat_$(openssl rand -hex 32)` makes
   * one. Only its hash is stored.
   */
  readonly token: string | Redacted.Redacted | undefined
  /** What the account may do. Default: running all components and reading their sessions. */
  readonly scopes?: ReadonlyArray<string> | undefined
}

const tokenRule = new RegExp(`^${ServiceAccount.tokenPrefix}[A-Za-z0-9]{32,247}$`)

const isName = Schema.is(ServiceAccount.Name)

export const kind = Effect.fnUntraced(function*(declared: ReadonlyArray<Declaration>) {
  const accounts = yield* ServiceAccounts
  const problems: Array<string> = []
  const items: Array<Item> = []
  for (const { name, scopes = ServiceAccount.defaultScopes, ...given } of declared) {
    const subject = `The service account '${name}'`
    const token = redacted(given.token)
    if (!isName(name)) {
      problems.push(`${subject} needs a name of 1 to 63 characters of a-z, 0-9, '-' and '_'`)
    }
    for (const scope of scopes) {
      const problem = accounts.declared.problemOf(scope)
      if (problem !== undefined) problems.push(`${subject}: ${problem}`)
    }
    if (token === undefined || !tokenRule.test(Redacted.value(token))) {
      problems.push(
        `${subject} needs a token of ${ServiceAccount.tokenPrefix} and at least 32 letters and digits, from the ` +
          `environment: echo ${ServiceAccount.tokenPrefix}$(openssl rand -hex 32) makes one`
      )
      continue
    }
    const put = (replaced?: string) =>
      Effect.catchTag(
        accounts.declared.put(
          { name, token, scopes },
          replaced === undefined ? undefined : ServiceAccount.Id.make(replaced)
        ),
        "ServiceAccountNameTaken",
        () =>
          Effect.fail(
            new DeclarationRefused({
              message: `${subject} exists already, made by a request. Revoke it, or declare another name`
            })
          )
      )
    items.push({
      name,
      content: { scopes, token: sha256(Redacted.value(token)) },
      create: put(),
      change: (id) => Effect.asSome(put(id))
    })
  }
  const kind: Kind = {
    kind: "service_account",
    items,
    problems,
    remove: (id) => Effect.as(accounts.declared.remove(ServiceAccount.Id.make(id)), true)
  }
  return [kind]
})
