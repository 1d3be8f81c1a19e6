// `svc tokens`: manages the service accounts of a service.
import { defaultAdmin } from "@svc-runtime/domain/Scope"
import { Clock, Effect, Option, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import type { HttpClient } from "effect/http"
import * as AdminCredential from "../admin/AdminCredential.ts"
import * as AdminTarget from "../admin/AdminTarget.ts"
import * as OpenService from "../admin/OpenService.ts"
import * as ServiceAccounts from "../admin/ServiceAccounts.ts"
import { accountNameRule, isAccountName, revokeUnused, unusedNoteOf } from "../admin/ServiceAccounts.ts"
import { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { shown } from "../terminal/Instant.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"

// `svc tokens create`: creates a service account and prints its token once.

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

/** It approves the calls of others only if its service has no isolation. */
const seesOnlyItsOwn = ({ scopes }: ServiceAccounts.Account): boolean =>
  scopes.includes("approvals:write") && !scopes.includes(defaultAdmin)

const show = Effect.fnUntraced(function*({ account, token }: ServiceAccounts.Minted) {
  const output = yield* Output
  yield* output.success(`Created service account ${account.name} (${account.principal})`)
  yield* output.line(`Scopes:  ${account.scopes.join(", ")}`)
  yield* output.line(`Expires: ${shown(account.expires_at)}`)
  if (seesOnlyItsOwn(account)) {
    yield* output.note(
      `It sees only its own runs, and approves none. Give it ${defaultAdmin} to approve calls of others.`
    )
  }
  yield* output.warn("This is the only time the token is shown. Store it now:")
  yield* output.line()
  yield* output.line(`    ${Redacted.value(token)}`)
  yield* output.line()
})

const createFlags = {
  name,
  scopes: Flags.scopes,
  expires: Flags.expires,
  privileged: Flags.privileged,
  ...AdminTarget.flags
}

const create = Command.make("create", createFlags, ({ json, ...given }) =>
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
        whenLost: Effect.map(revokeUnused(access, minted.account), unusedNoteOf).pipe(Effect.provideContext(context))
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

// `svc tokens list`: lists all accounts, including revoked ones, without tokens.

const columns = [
  { title: "Name" },
  { title: "Token" },
  { title: "Scopes", wraps: true },
  { title: "Expires" },
  { title: "Last used" },
  { title: "Status" }
]

const rowOf = (account: ServiceAccounts.Account): ReadonlyArray<string> => [
  account.name,
  `${account.token_prefix}…`,
  account.scopes.join(", "),
  shown(account.expires_at),
  shown(account.last_used_at),
  account.revoked_at === null ? "active" : "revoked"
]

const list = Command.make("list", AdminTarget.flags, ({ json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const access = yield* AdminTarget.open(given)
      const accounts = yield* output.waiting("Listing service accounts", ServiceAccounts.list(access))
      return {
        document: { service_accounts: accounts.map((account) => ({ ...account })) },
        human: accounts.length === 0
          ? output.line("There are no service accounts. Create one with svc tokens create <name>.")
          : output.table(columns, accounts.map(rowOf))
      }
    })
  )).pipe(
    Command.withDescription("List all service accounts, including revoked ones. Tokens are never shown."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("List all accounts"),
    Command.withExamples([
      { command: "svc tokens list" },
      {
        command: "svc tokens list --json | jq -r '.service_accounts[] | select(.revoked_at == null) | .name'",
        description: "The names of active accounts"
      }
    ])
  )

// `svc tokens revoke`: revokes the tokens of an account permanently.

const revokeFlags = {
  name: Argument.String("name").pipe(Argument.withDescription("The account's name")),
  ...AdminTarget.flags,
  yes: Flags.toggle("yes", "Do not ask, and trust an address that was read from an env file", "y")
}

const isConfirmed = Effect.fnUntraced(function*(name: string, url: string, yes: boolean) {
  const prompts = yield* Prompts
  if (yes || !(yield* prompts.isInteractive)) return true
  return yield* prompts.confirm(`Revoke ${name} on ${url}? Its tokens stop working for good.`, false)
})

const revoke = Command.make("revoke", revokeFlags, ({ json, name, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const access = yield* AdminTarget.open(given)
      const found = yield* output.waiting(`Looking up ${name}`, ServiceAccounts.findActive(access, name))
      if (Option.isNone(found)) {
        return yield* new CommandFailed({
          message: `No service account named ${name} is active`,
          hint: "See which there are with svc tokens list."
        })
      }
      if (!(yield* isConfirmed(name, access.url, given.yes))) {
        return { document: null, human: output.line(`Nothing was changed: ${name} keeps working.`) }
      }
      yield* output.waiting(`Revoking ${name}`, ServiceAccounts.revoke(access, found.value))
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      return {
        document: { revoked: { ...found.value, revoked_at: found.value.revoked_at ?? now } },
        human: output.success(`Revoked ${name}. Its tokens stop working with their next request.`)
      }
    })
  )).pipe(
    Command.withDescription("Revoke a service account. This cannot be undone: its tokens stop working."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Revoke an account for good"),
    Command.withExamples([
      { command: "svc tokens revoke ci" },
      { command: "svc tokens revoke ci --yes", description: "Without being asked" }
    ])
  )

export const tokens = Command.make("tokens").pipe(
  Command.withDescription(
    "Create, list and revoke the tokens of service accounts: callers that are programs. A service that asks who is " +
      "calling wants an administrative credential, from PLATFORM_ADMIN_TOKEN, OS_SECURITY_KEY, or typed."
  ),
  Command.withShortDescription("Create, list and revoke tokens of service accounts"),
  Command.withSubcommands([create, list, revoke])
)
