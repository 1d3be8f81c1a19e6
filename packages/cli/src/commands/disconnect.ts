// `svc disconnect`: removes the entries of a service from the configs of this machine's assistants.
import { Effect, type Schema } from "effect"
import { Command } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { rowDocument } from "../clients/RowDocument.ts"
import { present } from "../CommandResult.ts"
import * as EntryNameFlag from "../connect/EntryNameFlag.ts"
import { disconnect as run, type Disconnected } from "../disconnect/Disconnect.ts"
import * as DisconnectReport from "../disconnect/DisconnectReport.ts"
import { endingOf } from "../disconnect/DisconnectRow.ts"
import type { Environment } from "../Environment.ts"
import { codes } from "../Exit.ts"
import * as Flags from "../Flags.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import type { Output } from "../terminal/Output.ts"

const flags = {
  clients: Flags.clients,
  serverName: EntryNameFlag.serverName(
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
        human: Effect.provideContext(DisconnectReport.print(disconnected), context),
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
