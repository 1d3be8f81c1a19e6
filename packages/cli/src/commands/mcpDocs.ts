// `svc mcp-docs`, as the help shows it. `bin.ts` starts the program itself, `mcpDocs.ts`.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"

export const mcpDocs = Command.make(
  "mcp-docs",
  {},
  () => present(false, Effect.fail(new UsageError({ message: "svc mcp-docs takes no flags" })))
).pipe(
  Command.withDescription(
    "Serve the documents to a coding assistant over MCP, on standard input and output: the tools search_docs and " +
      "read_doc. No service and no network is needed. Assistants start this command themselves."
  ),
  Command.withShortDescription("Serve the documents to assistants, over MCP"),
  Command.withExamples([{ command: "claude mcp add svc-docs -- npx svc mcp-docs", description: "In Claude Code" }])
)
