// `svc sessions delete SESSION`: removes a session with everything in it, after a confirmation.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { CommandFailed } from "../../CliError.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import * as Groups from "../../service/Groups.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"
import { Prompts } from "../../terminal/Prompts.ts"

const flags = {
  session: Argument.String("session").pipe(Argument.withDescription("Id of the session")),
  isForced: Flags.toggle("force", "Delete without a confirmation"),
  ...AdminTarget.flags
}

export const remove = Command.make("delete", flags, ({ isForced, json, session, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const prompts = yield* Prompts
      const service = yield* ServiceClient.open(given)
      // a session that does not exist is an error before the question
      yield* ServiceClient.call(
        service,
        "Looking up the session",
        Groups.sessions,
        "listRuns",
        { params: { session_id: session }, query: { limit: 1 } }
      )
      const isConfirmed = isForced || !(yield* prompts.isInteractive) ||
        (yield* prompts.confirm(`Delete session ${session} with its runs?`, false))
      if (!isConfirmed) return yield* new CommandFailed({ message: "Nothing was deleted" })
      yield* ServiceClient.call(service, "Deleting the session", Groups.sessions, "remove", {
        params: { session_id: session }
      })
      return {
        document: { session_id: session, deleted: true },
        human: output.success(`Deleted session ${session}.`)
      }
    })
  )).pipe(
    Command.withDescription("Delete a session with its runs, events and traces. Runs that execute are cancelled."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Delete a session"),
    Command.withExamples([{ command: "svc sessions delete first --force" }])
  )
