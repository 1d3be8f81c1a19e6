// `svc mcp-docs`, as the help shows it. `bin.ts` starts the program itself, `mcpDocs.ts`.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { CommandFailed, UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"

/** Every command takes `--json`. Standard output is for messages of the protocol here. */
const noDocument = new CommandFailed({
  message: "svc mcp-docs writes the messages of MCP, and has no document",
  hint: "svc docs WORDS --json searches the documents."
})

const noFlags = new UsageError({ message: "svc mcp-docs takes no flags" })

export const mcpDocs = Command.make(
  "mcp-docs",
  { json: Flags.json },
  ({ json }) => present(json, Effect.fail(json ? noDocument : noFlags))
).pipe(
  Command.withDescription(
    "Serve the documents to a coding assistant over MCP, on standard input and output: the tools search_docs and " +
      "read_doc. No service and no network is needed. Assistants start this command themselves."
  ),
  Command.withShortDescription("Serve the documents to assistants, over MCP"),
  Command.withExamples([{ command: "claude mcp add svc-docs -- npx svc mcp-docs", description: "In Claude Code" }])
)
