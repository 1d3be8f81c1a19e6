// `svc disconnect`: removes the entries of a service from the configs of this machine's assistants.
import { Effect, type Schema } from "effect"
import { Command } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { label, rowDocument, tilde } from "../clients/Rows.ts"
import { present } from "../CommandResult.ts"
import { disconnect as run, type Disconnected, endingOf, type Revocation, type Row } from "../disconnect/Disconnect.ts"
import { Environment } from "../Environment.ts"
import { codes } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"

// The report of `svc disconnect` for people.

const printRow = Effect.fnUntraced(function*({ error, instructions, location = "", name, removed = [], status }: Row) {
  const output = yield* Output
  const { home } = yield* Environment
  switch (status) {
    case "removed": {
      const entries = removed.map((entry) => `"${entry}"`).join(", ")
      return yield* output.success(`${label("removed", name)} ${entries} -> ${tilde(home, location)}`)
    }
    case "not-found":
      return yield* output.line(label("not found", name))
    case "failed":
      return yield* output.error(`${label("failed", name)}: ${tilde(home, error ?? "")}`)
    case "manual":
      yield* output.warn(label("action needed", name))
      for (const step of instructions ?? []) yield* output.line(`      ${step}`)
  }
})

const printRevocation = Effect.fnUntraced(function*({ account, error, status }: Revocation) {
  const output = yield* Output
  switch (status) {
    case "revoked":
      return yield* output.success(label("revoked", account))
    case "not-found":
      return yield* output.line(label("no account", account))
    case "failed":
      return yield* output.error(`${label("revoke failed", account)}: ${error}`)
  }
})

const print = Effect.fn("DisconnectReport.print")(function*(
  { leftTokens, revocations, rows, service, wanted }: Disconnected
) {
  const output = yield* Output
  for (const row of rows) yield* printRow(row)
  for (const revocation of revocations) yield* printRevocation(revocation)
  const removed = rows.filter(({ status }) => status === "removed")
  if (removed.length === 0) return
  yield* output.line()
  yield* output.line(`Restart the app${removed.length === 1 ? "" : "s"} to forget its tools.`)
  if (!leftTokens) return
  const at = service === null ? "" : ` --url ${service.url}`
  if (wanted.revoke) {
    return yield* output.warn(
      "Some tokens that the entries held belong to no account that was revoked, and can still be valid. " +
        `See the accounts with svc tokens list${at}.`
    )
  }
  yield* output.line(
    `The tokens that the entries held stay valid. To revoke them: svc tokens revoke <name>${at}, or svc disconnect --revoke${at}`
  )
})

const flags = {
  clients: Flags.clients,
  serverName: Flags.entryName(
    "Name of the entry to remove, wherever it points (default: every entry of the service)"
  ),
  name: Flags.text("name", "NAME", "With --revoke: the account that the clients share (default: one for each)"),
  revoke: Flags.toggle("revoke", "Revoke the clients' service accounts too"),
  ...AdminTarget.flags
}

/** Every row has the same keys: null is what does not apply. */
const empty = { removed: null, location: null, instructions: null }

const documentOf = ({ leftTokens, revocations, rows, service, targets, wanted }: Disconnected): Schema.Json => ({
  os: service === null ? null : { ...service },
  server_name: wanted.serverName ?? null,
  target_urls: targets,
  results: rows.map((row) => rowDocument(row, empty)),
  revocations,
  tokens_left: leftTokens,
  exit_code: codes[endingOf(rows, revocations)]
})

export const disconnect = Command.make("disconnect", flags, ({ json, ...wanted }) =>
  present(
    json,
    Effect.gen(function*() {
      const context = yield* Effect.context<Output | Environment>()
      const disconnected = yield* run(wanted)
      return {
        document: documentOf(disconnected),
        human: Effect.provideContext(print(disconnected), context),
        ending: endingOf(disconnected.rows, disconnected.revocations)
      }
    })
  )).pipe(
    Command.withDescription(
      "Remove a service's entries from the configs of coding assistants. Works without the service; entries of other " +
        "services are never touched."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Remove a service from coding assistants"),
    Command.withExamples([
      { command: "svc disconnect", description: "Every entry of the service that runs here" },
      { command: "svc disconnect --url https://agents.example.com --revoke", description: "And revoke the accounts" },
      { command: "svc disconnect --server-name agentos", description: "Exactly this entry" }
    ])
  )
