// `svc run KIND/ID "text"`: starts a run and follows it to its end, with the decisions that it waits for.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, FileSystem, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { CommandFailed, UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import { Environment } from "../Environment.ts"
import { inWords } from "../FileError.ts"
import * as Flags from "../Flags.ts"
import { piped } from "../Piped.ts"
import * as FollowedRun from "../runs/FollowedRun.ts"
import * as ComponentName from "../service/ComponentName.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"

const flags = {
  component: Argument.String("component").pipe(
    Argument.withDescription("agent/ID, team/ID or workflow/ID; the id alone where only one component has it")
  ),
  words: Argument.String("text").pipe(
    Argument.withDescription("The message (default: standard input)"),
    Argument.variadic()
  ),
  session: Flags.text("session", "ID", "Session to continue (default: a new one)"),
  user: Flags.text("user", "ID", "User of the run, where the credential names none"),
  files: Flag.String("file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("File to send with the message, repeatable"),
    Flag.atLeast(0)
  ),
  factoryInput: Flags.object("factory-input", "Input of a factory"),
  background: Flags.toggle("background", "Start the run, and do not wait for its end"),
  ...AdminTarget.flags
}

const messageOf = Effect.fnUntraced(function*(words: ReadonlyArray<string>) {
  const text = words.length > 0 ? words.join(" ") : (yield* piped).trim()
  if (text !== "") return text
  return yield* new UsageError({ message: "Missing text: give it as an argument, or on standard input" })
})

/** The absolute paths of the files. A missing file is an error before the request begins. */
const attached = Effect.fnUntraced(function*(names: ReadonlyArray<string>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  return yield* Effect.forEach(names, (name) => {
    const file = path.resolve(cwd, name)
    return Effect.mapBoth(files.access(file, { readable: true }), {
      onFailure: (error) => new CommandFailed({ message: `Could not read ${name}: ${inWords(error)}` }),
      onSuccess: () => file
    })
  })
})

interface Given {
  readonly words: ReadonlyArray<string>
  readonly session: string | undefined
  readonly user: string | undefined
  readonly files: ReadonlyArray<string>
  readonly factoryInput: Json.Object | undefined
}

const inputOf = Effect.fnUntraced(function*({ factoryInput, files, session, user, words }: Given) {
  return {
    message: yield* messageOf(words),
    ...(session === undefined ? {} : { session_id: session }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(factoryInput === undefined ? {} : { factory_input: JSON.stringify(factoryInput) }),
    ...(files.length === 0 ? {} : { files: yield* attached(files) })
  }
})

export const run = Command.make("run", flags, ({ background, component, json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const input = yield* inputOf(given)
      const service = yield* ServiceClient.open(given)
      const name = yield* ComponentName.resolve(service, component)
      const runs = ComponentName.runsOf(service, name)
      const starting = `Starting a run of ${ComponentName.nameOf(name)}`
      if (background) {
        const { run_id, session_id } = yield* ComponentName.elseKnown(
          service,
          name,
          Effect.mapError(runs.start(input), ServiceClient.failed(starting))
        )
        return {
          document: { run_id, session_id, component: ComponentName.nameOf(name) },
          human: output.line(`Started run ${run_id}. Follow it with svc runs watch ${run_id}.`)
        }
      }
      const request = { stream: runs.stream(input), request: starting }
      const following = FollowedRun.follow(runs, request, { cancels: true })
      return yield* FollowedRun.answer(yield* ComponentName.elseKnown(service, name, following))
    })
  )).pipe(
    Command.withDescription(
      "Start a run, show its answer as it is written, and ask for the decisions that it waits for. Ctrl-C cancels the " +
        "run. With --json every event is one line of JSON, and a run that pauses ends the command with exit code 3."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Run an agent, a team or a workflow"),
    Command.withExamples([
      { command: "svc run agent/assistant \"What is 17 times 23?\"" },
      { command: "svc run assistant --session first --file report.pdf \"Sum it up\"" },
      { command: "git diff | svc run team/reviewers", description: "The text is what is piped in" },
      {
        command: "svc run assistant Hello --json | jq -r 'select(.event == \"RunCompleted\") | .content'",
        description: "The answer, in a script"
      }
    ])
  )
