// `svc tokens list`: lists all accounts, including revoked ones, without tokens.
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import * as ServiceAccounts from "../../admin/ServiceAccounts.ts"
import { present } from "../../CommandResult.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { shown } from "../../terminal/Instant.ts"
import { Output } from "../../terminal/Output.ts"

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

export const list = Command.make("list", AdminTarget.flags, ({ json, ...given }) =>
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
