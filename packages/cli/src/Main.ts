// The tree of commands.
import { Console } from "effect"
import { Command } from "effect/cli"
import * as CommandExecution from "./CommandExecution.ts"
import { api } from "./commands/api.ts"
import { approvals } from "./commands/approvals.ts"
import { channels } from "./commands/channels.ts"
import { chat } from "./commands/chat.ts"
import { completions } from "./commands/completions.ts"
import { connect } from "./commands/connect.ts"
import { down, logs, restart, up } from "./commands/containers.ts"
import { create } from "./commands/create.ts"
import { disconnect } from "./commands/disconnect.ts"
import { docs } from "./commands/docs.ts"
import { doctor } from "./commands/doctor.ts"
import { evaluate } from "./commands/eval.ts"
import { explain } from "./commands/explain.ts"
import { mcpDocs } from "./commands/mcpDocs.ts"
import { openapi } from "./commands/openapi.ts"
import { roles } from "./commands/roles.ts"
import { run as runCommand } from "./commands/run.ts"
import { runs } from "./commands/runs.ts"
import { sessions } from "./commands/sessions.ts"
import { status } from "./commands/status.ts"
import { tokens } from "./commands/tokens.ts"
import { catalog } from "./project/Catalog.ts"
import { version } from "./version.ts"

// typed, because the tree is a part of itself
const tree = (): Command.Command.Any => svc

export const svc = Command.make("svc", {}, () =>
  // without colour: with a terminal bin.ts has answered already
  Console.log(catalog(version, false).trimEnd())).pipe(
    Command.withDescription("Run AI agents on machines of your own: the command-line tool."),
    Command.withSubcommands([
      { group: "Get started", commands: [create, connect, disconnect] },
      { group: "Work with agents", commands: [runCommand, chat, runs, sessions, approvals] },
      { group: "Operate", commands: [up, down, restart, logs, status, doctor, explain, channels] },
      { group: "Evaluate", commands: [evaluate] },
      { group: "Access", commands: [tokens, roles] },
      { group: "Documents", commands: [docs, mcpDocs] },
      { group: "This tool", commands: [api, openapi, completions(tree)] }
    ])
  )

export const run = (argv: ReadonlyArray<string>) => CommandExecution.run(argv, svc)
