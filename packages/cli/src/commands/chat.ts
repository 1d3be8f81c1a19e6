// `svc chat ID`: a conversation in one session. Each line is a run; Ctrl-C during an answer stops it.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailed, sentencesOf, UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Conversation from "../runs/Conversation.ts"
import * as FollowedRun from "../runs/FollowedRun.ts"
import * as ComponentName from "../service/ComponentName.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"

const flags = {
  component: Argument.String("component").pipe(
    Argument.withDescription("agent/ID, team/ID or workflow/ID; the id alone where only one component has it")
  ),
  session: Flags.text("session", "ID", "Session to resume (default: a new one)"),
  user: Flags.text("user", "ID", "User of the runs, where the credential names none"),
  url: Flags.url,
  allowHttp: Flags.allowHttp,
  yes: Flags.yes,
  json: Flags.json
}

/** Every command takes `--json`, and this one has nothing to say in it. */
const noDocument = new CommandFailed({
  message: "svc chat needs a terminal, and has no document",
  hint: "In a script, use svc run."
})

export const chat = Command.make("chat", flags, ({ component, json, session, user, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      if (json) return yield* noDocument
      const output = yield* Output
      const prompts = yield* Prompts
      if (!(yield* prompts.isInteractive)) {
        return yield* new UsageError({ message: "svc chat needs a terminal; in a script, use svc run" })
      }
      const service = yield* ServiceClient.open(given)
      const name = yield* ComponentName.resolve(service, component)
      const runs = ComponentName.runsOf(service, name)
      const starting = `Starting a run of ${ComponentName.nameOf(name)}`
      if (session !== undefined) yield* Conversation.showEarlier(service, session)
      yield* output.note("An empty line or Ctrl-D ends the conversation. Ctrl-C stops an answer.")
      let current = session
      const howToResume = Effect.suspend(() =>
        current === undefined
          ? Effect.void
          : output.note(`Resume it with svc chat ${ComponentName.nameOf(name)} --session ${current}.`)
      )
      for (;;) {
        const message = yield* prompts.message
        if (message === undefined) break
        const input = {
          message,
          ...(current === undefined ? {} : { session_id: current }),
          ...(user === undefined ? {} : { user_id: user })
        }
        const stream = runs.stream(input)
        const following = Effect.flatMap(
          ComponentName.elseKnown(
            service,
            name,
            FollowedRun.follow(runs, { stream, request: starting }, { stop: prompts.stopKey })
          ),
          (run) => run.status === "COMPLETED" || run.isStopped === true ? Effect.void : FollowedRun.summary(run)
        )
        // a failed turn does not end the conversation
        yield* Effect.catchTag(following, "CommandFailed", (error) => output.error(sentencesOf(error))).pipe(
          Effect.ensuring(Effect.sync(() => {
            current = stream.run?.session_id ?? current
          })),
          Effect.onInterrupt(() => howToResume)
        )
        yield* output.endText
      }
      return { document: undefined, human: howToResume }
    })
  )).pipe(
    Command.withDescription(
      "Talk with an agent, a team or a workflow in one session. Each line is a run, and its answer is shown as it is " +
        "written. Ctrl-C stops an answer, and an empty line ends the conversation."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Talk with an agent or a team"),
    Command.withExamples([
      { command: "svc chat assistant" },
      { command: "svc chat assistant --session first", description: "Resume a conversation" }
    ])
  )
