// `svc status`: the service and its clients.
import { Command } from "effect/cli"
import * as Flags from "../Flags.ts"
import * as Status from "../status/Status.ts"
import { address, Variables } from "../terminal/HelpPage.ts"

const flags = {
  url: Flags.url,
  serverName: Flags.text("server-name", "NAME", "Name of the MCP entry (default: made from the service's name)"),
  json: Flags.json
}

export const status = Command.make("status", flags, Status.status).pipe(
  Command.withDescription(
    "Show the service that is found, how it authorizes, and which clients are connected to it."
  ),
  Command.annotate(Variables, [address]),
  Command.withShortDescription("Show the service and its clients"),
  Command.withExamples([
    { command: "svc status" },
    { command: "svc status --url https://agents.example.com" },
    { command: "svc status --json | jq -r .os.auth_mode", description: "In a script" }
  ])
)
