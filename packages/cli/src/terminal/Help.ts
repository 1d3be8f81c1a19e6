// `--help`, without the short form `-h`.
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

/** Only our own flags: --version is handled earlier, and there is no wizard. */
export const provideHelp = Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [Help] }))
