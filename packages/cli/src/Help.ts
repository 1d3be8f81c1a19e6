// `--help`, without a short form: `-h` is no flag of this tool.
import { Effect } from "effect"
import { CliConfig, Flag, GlobalFlag } from "effect/cli"

const Help = GlobalFlag.Action({
  flag: Flag.Boolean("help").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Show this"),
    Flag.withDefault(false)
  ),
  run: GlobalFlag.Help.run
})

/** No other flags than ours: --version is answered before, and there is no wizard. */
export const provideHelp = Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [Help] }))
