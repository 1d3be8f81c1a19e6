// The tree with `svc status` alone, which starts faster: scripts and prompts of shells call it often.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { status } from "./commands/status.ts"
import * as Execution from "./Execution.ts"

const svc = Command.make("svc", {}, () => Effect.void).pipe(Command.withSubcommands([status]))

export const run = (argv: ReadonlyArray<string>) => Execution.run(argv, svc)
