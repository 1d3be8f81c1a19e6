// `svc connect`: connects the assistants of this machine to a service over MCP.
import { Effect, Option, type Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { accountNameRule, isAccountName } from "../admin/ServiceAccounts.ts"
import { rowDocument } from "../clients/Rows.ts"
import { present } from "../CommandResult.ts"
import { connect as run, type Connected } from "../connect/Connect.ts"
import * as ConnectReport from "../connect/ConnectReport.ts"
import { endingOf } from "../connect/ConnectRow.ts"
import type { Environment } from "../Environment.ts"
import { codes } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import type { Output } from "../terminal/Output.ts"

const flags = {
  clients: Flags.clients,
  name: Flags.text("name", "NAME", "One service account of this name for all clients (default: one for each)").pipe(
    Flag.filterMap(
      (name) => name === undefined || isAccountName(name) ? Option.some(name) : Option.none(),
      (name) => `Invalid --name: ${name}. ${accountNameRule}`
    )
  ),
  scopes: Flags.scopes,
  expires: Flags.expires,
  privileged: Flags.privileged,
  pat: Flags.toggle("pat", "Make tokens although the MCP endpoint lets people sign in"),
  serverName: Flags.entryName("Name of the MCP entry (default: made from the service's name)"),
  project: Flags.toggle("project", "Write the configs of this project instead of the user's"),
  rotate: Flags.toggle(
    "rotate",
    "Write existing entries again: revoke accounts and make new tokens, or go over to signing in"
  ),
  skipExisting: Flags.toggle("skip-existing", "Never touch existing accounts and entries"),
  ...AdminTarget.flags
}

/** Every row has the same keys: null is what does not apply. The others are there only if they say something. */
const empty = { location: null, account: null, verify: null, instructions: null, url: null }

const documentOf = ({ plan, rows, warning }: Connected): Schema.Json => ({
  os: { ...plan.service },
  server_name: plan.entryName,
  results: rows.map((row) => rowDocument(row, empty)),
  warning,
  exit_code: codes[endingOf(rows)]
})

export const connect = Command.make("connect", flags, ({ json, ...wanted }) =>
  present(
    json,
    Effect.gen(function*() {
      const context = yield* Effect.context<Output | Environment>()
      const connected = yield* run(wanted)
      return {
        document: documentOf(connected),
        human: Effect.provideContext(ConnectReport.print(connected), context),
        ending: endingOf(connected.rows)
      }
    })
  )).pipe(
    Command.withDescription(
      "Connect coding assistants to a running service over MCP: an entry in each one's config, with a token of its own, " +
        "read back and tried out."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Connect coding assistants to a running service"),
    Command.withExamples([
      { command: "svc connect", description: "Everything that is installed, to the service that runs here" },
      { command: "svc connect --clients claude-code,cursor --url https://agents.example.com" },
      { command: "svc connect --project", description: "For this project only" },
      { command: "svc connect --rotate --json", description: "New tokens, from a script" }
    ])
  )
