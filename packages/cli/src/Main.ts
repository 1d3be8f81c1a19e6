// The tree of commands, and its execution from arguments to an exit code. All output is complete when it ends: the
// caller only exits with the code.
import { Console, Effect } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { HttpClient, HttpClientRequest } from "effect/http"
import { normalized } from "./Argv.ts"
import { approvals } from "./commands/approvals.ts"
import { chat } from "./commands/chat.ts"
import { completions } from "./commands/completions.ts"
import { connect } from "./commands/connect.ts"
import { create } from "./commands/create.ts"
import { disconnect } from "./commands/disconnect.ts"
import { doctor } from "./commands/doctor.ts"
import { down } from "./commands/down.ts"
import { evaluate } from "./commands/eval.ts"
import { logs } from "./commands/logs.ts"
import { openapi } from "./commands/openapi.ts"
import { restart } from "./commands/restart.ts"
import { run as runCommand } from "./commands/run.ts"
import { runs } from "./commands/runs.ts"
import { sessions } from "./commands/sessions.ts"
import { status } from "./commands/status.ts"
import { tokens } from "./commands/tokens.ts"
import { up } from "./commands/up.ts"
import { codes, type Outcome } from "./Exit.ts"
import { catalog } from "./project/Catalog.ts"
import { provideHelp } from "./terminal/Help.ts"
import { helpPage } from "./terminal/HelpPage.ts"
import { Output } from "./terminal/Output.ts"
import { version } from "./version.ts"

// typed, because the tree is a part of itself
const tree = (): Command.Command.Any => svc

const svc = Command.make("svc", {}, () =>
  // without colour: with a terminal bin.ts has answered already
  Console.log(catalog(version, false).trimEnd())).pipe(
    Command.withDescription("Run AI agents on machines of your own: the command-line tool."),
    Command.withSubcommands([
      { group: "Get started", commands: [create, connect, disconnect] },
      { group: "Work with agents", commands: [runCommand, chat, runs, sessions, approvals] },
      { group: "Operate", commands: [up, down, restart, logs, status, doctor] },
      { group: "Evaluate", commands: [evaluate] },
      { group: "Tokens", commands: [tokens] },
      { group: "This tool", commands: [openapi, completions(tree)] }
    ])
  )

/** Our own checks have complete messages. Those of the parser name the expected value. */
const messageOf = (error: CliError.CliError): string =>
  error._tag === "InvalidValue" && error.expected.startsWith("Invalid ") ? error.expected : error.message

/** Requested help goes to standard output; for an invalid command line a short text goes to standard error. */
const presenterTo = (output: Output["Service"]): CliOutput.Presenter => ({
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
        const problems = event.errors.map(messageOf).join("\n")
        yield* output.usageError(problems)
        return yield* Console.error(
          `\nUsage: ${event.helpDoc.usage}\nRun ${event.commandPath.join(" ")} --help to learn more.`
        )
      }
    }
  })
})

/** Sends a user agent and no trace headers, which foreign services should not see. */
const asSvcctl = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  program.pipe(
    Effect.updateService(
      HttpClient.HttpClient,
      HttpClient.mapRequest(HttpClientRequest.setHeader("user-agent", `svcctl/${version}`))
    ),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )

const ended = (ending: Outcome) => Effect.succeed(codes[ending])

/** Runs a command line and returns the exit code. */
export const run = Effect.fn("Main.run")(
  function*(argv: ReadonlyArray<string>) {
    const output = yield* Output
    return yield* Effect.fromResult(normalized(argv, svc)).pipe(
      Effect.flatMap(Command.runWith(svc, { version })),
      Effect.provideService(CliOutput.Presenter, presenterTo(output)),
      Effect.as(codes.ok),
      Effect.catchTags({
        UsageError: ({ message }) =>
          Effect.andThen(output.usageError(`${message}\nRun svc --help to see how it is used.`), ended("misused")),
        Ended: ({ ending }) => ended(ending)
      }),
      // the parser's own errors have been presented
      Effect.catchIf(CliError.isCliError, () => ended("misused"))
    )
  },
  provideHelp,
  asSvcctl
)
