// `svc tokens create`: creates a service account and prints its token once.
import { Effect, Option, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import type { HttpClient } from "effect/http"
import { accountNameRule, isAccountName } from "../../admin/AccountName.ts"
import * as AdminCredential from "../../admin/AdminCredential.ts"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import * as OpenService from "../../admin/OpenService.ts"
import { noteOf, revokeUnused } from "../../admin/RevokeUnused.ts"
import * as ServiceAccounts from "../../admin/ServiceAccounts.ts"
import { CommandFailed } from "../../CliError.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { shown } from "../../terminal/Instant.ts"
import { Output } from "../../terminal/Output.ts"

const name = Argument.String("name").pipe(
  Argument.withDescription("1 to 63 characters of a-z, 0-9, - and _, beginning with a letter or a digit"),
  Argument.filterMap(
    (name) => isAccountName(name) ? Option.some(name) : Option.none(),
    (name) => `Invalid name: ${name}. ${accountNameRule}`
  )
)

const taken = ({ name }: ServiceAccounts.NameTaken) =>
  new CommandFailed({
    message: `Service account ${name} already exists`,
    hint: `Revoke it first (svc tokens revoke ${name}), or choose another name.`
  })

const show = Effect.fnUntraced(function*({ account, token }: ServiceAccounts.Minted) {
  const output = yield* Output
  yield* output.success(`Created service account ${account.name} (${account.principal})`)
  yield* output.line(`Scopes:  ${account.scopes.join(", ")}`)
  yield* output.line(`Expires: ${shown(account.expires_at)}`)
  yield* output.warn("This is the only time the token is shown. Store it now:")
  yield* output.line()
  yield* output.line(`    ${Redacted.value(token)}`)
  yield* output.line()
})

const flags = {
  name,
  scopes: Flags.scopes,
  expires: Flags.expires,
  privileged: Flags.privileged,
  ...AdminTarget.flags
}

export const create = Command.make("create", flags, ({ json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* AdminTarget.find(given)
      yield* OpenService.refuse(service, yield* AdminCredential.exported)
      const access = yield* AdminTarget.access(service, given, { secretResponse: true })
      const minted = yield* output.waiting(
        `Creating service account ${given.name}`,
        ServiceAccounts.create(access, {
          name: given.name,
          scopes: given.scopes.length === 0 ? undefined : given.scopes,
          expires: given.expires.expires,
          privileged: given.privileged
        })
      ).pipe(Effect.catchTag("NameTaken", (error) => Effect.fail(taken(error))))
      const context = yield* Effect.context<HttpClient.HttpClient>()
      return {
        document: { ...minted.account, token: Redacted.value(minted.token) },
        human: Effect.provideService(show(minted), Output, output),
        whenLost: Effect.map(revokeUnused(access, minted.account), noteOf).pipe(Effect.provideContext(context))
      }
    })
  )).pipe(
    Command.withDescription("Create a service account and print its token, which is shown this once and never again."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Create an account and print its token"),
    Command.withExamples([
      { command: "svc tokens create ci", description: "Run everything and read what it ran, for 90 days" },
      { command: "svc tokens create reader --scopes sessions:read --expires never" },
      {
        command: "TOKEN=$(svc tokens create ci --json | jq -r .token)",
        description: "In a script"
      }
    ])
  )
