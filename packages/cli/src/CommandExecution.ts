// Executes a command line, from its arguments to an exit code. All output is complete when it ends: the caller only
// exits with the code.
import { Console, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import { normalized } from "./Argv.ts"
import type { Ended } from "./CommandResult.ts"
import { codes, type Outcome } from "./Exit.ts"
import { helpPage } from "./terminal/HelpPage.ts"
import { Output } from "./terminal/Output.ts"
import { asSvcctl } from "./UserAgent.ts"
import { version } from "./version.ts"
import * as Warnings from "./Warnings.ts"

// `--help`, without the short form `-h`.
const Help = GlobalFlag.Action({
  flag: Flag.Boolean("help").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Show this"),
    Flag.withDefault(false)
  ),
  run: GlobalFlag.Help.run
})

/** Only our own flags: --version is handled earlier, and there is no wizard. */
const provideHelp = Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [Help] }))

/** Our own checks have complete messages. Those of the parser name the expected value. */
const messageOf = (error: CliError.CliError, argv: ReadonlyArray<string>): string => {
  if (error._tag === "InvalidValue" && error.expected.startsWith("Invalid ")) return error.expected
  if (error._tag !== "UnrecognizedOption") return error.message
  // of one letter the parser suggests every other one
  if (error.option.length !== 2) return error.message
  // it reads each letter of a word as a flag
  const word = argv.find((word) => /^-[^-]{2}/.test(word) && word.includes(error.option.slice(1))) ?? error.option
  return `Unrecognized flag: ${word}${error.command === undefined ? "" : ` in command ${error.command.join(" ")}`}`
}

/** Requested help goes to standard output; for an invalid command line a short text goes to standard error. */
const presenterTo = (output: Output["Service"], argv: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function*(event) {
    switch (event._tag) {
      case "Version":
        return
      case "Help": {
        const page = helpPage(event.helpDoc, { style: output.style, width: yield* output.width })
        return event.reason === "Requested"
          ? yield* Console.log(page)
          : yield* output.usageError(
            `Missing command.\nRun ${event.commandPath.join(" ")} --help to see what there is.`
          )
      }
      case "InvalidInvocation": {
        const problems = new Set(event.errors.map((error) => messageOf(error, argv)))
        yield* output.usageError([...problems].join("\n"))
        return yield* Console.error(
          `\nUsage: ${event.helpDoc.usage}\nRun ${event.commandPath.join(" ")} --help to learn more.`
        )
      }
    }
  })
})

const ended = (ending: Outcome) => Effect.succeed(codes[ending])

/** Runs a command line and returns the exit code. */
export const run = <Name extends string, Input, Context, R>(
  argv: ReadonlyArray<string>,
  svc: Command.Command<Name, Input, Context, Ended, R>
) =>
  Effect.gen(function*() {
    const output = yield* Output
    return yield* Effect.fromResult(normalized(argv, svc)).pipe(
      Effect.flatMap(Command.runWith(svc, { version })),
      Effect.provideService(CliOutput.Presenter, presenterTo(output, argv)),
      Effect.as(codes.ok),
      Effect.catchTags({
        UsageError: ({ message }) =>
          Effect.andThen(output.usageError(`${message}\nRun svc --help to see how it is used.`), ended("misused")),
        Ended: ({ ending }) => ended(ending)
      }),
      // the parser's own errors have been presented
      Effect.catchIf(CliError.isCliError, () => ended("misused"))
    )
  }).pipe(provideHelp, asSvcctl, Warnings.shown, Effect.withSpan("CommandExecution.run"))
