// `svc eval`: evaluations from files.
import { Command } from "effect/cli"
import { run } from "./eval/run.ts"

export const evaluate = Command.make("eval").pipe(
  Command.withDescription("Run evaluations: see how good the answers of agents, teams and workflows are."),
  Command.withShortDescription("Evaluate the answers of agents, teams and workflows"),
  Command.withSubcommands([run])
)
