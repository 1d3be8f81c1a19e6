// `svc sessions show SESSION`: one session with its runs and its conversation.
import * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as Conversation from "../../runs/Conversation.ts"
import * as Groups from "../../service/Groups.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"
import { onOneLine } from "../../terminal/Printable.ts"

const flags = {
  session: Argument.String("session").pipe(Argument.withDescription("Id of the session")),
  ...AdminTarget.flags
}

interface Shown {
  readonly session_id: string
  readonly session_name: string
  readonly user_id?: string | null | undefined
  readonly session_summary?: { readonly summary: string } | null | undefined
  readonly session_state?: Json.Value | undefined
  readonly chat_history?: ReadonlyArray<Pick<typeof Message.Message.Encoded, "role" | "content">> | null | undefined
}

const show = Effect.fnUntraced(function*(session: Shown) {
  const output = yield* Output
  yield* output.line(`Session:    ${onOneLine(session.session_id)}`)
  yield* output.line(`Name:       ${onOneLine(session.session_name)}`)
  if (session.user_id) yield* output.line(`User:       ${onOneLine(session.user_id)}`)
  if (session.session_summary) yield* output.line(`Summary:    ${session.session_summary.summary}`)
  if (session.session_state) yield* output.line(`State:      ${JSON.stringify(session.session_state)}`)
  yield* Conversation.show(session.chat_history ?? [])
})

export const showSession = Command.make("show", flags, ({ json, session: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const session = yield* ServiceClient.call(
        service,
        "Reading the session",
        Groups.sessions,
        "get",
        { params: { session_id: id } }
      )
      return {
        document: Json.of(session),
        human: Effect.provideService(show(session), Output, output)
      }
    })
  )).pipe(
    Command.withDescription("Show a session: its state, its summary and its conversation."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Show one session"),
    Command.withExamples([{ command: "svc sessions show first" }])
  )
