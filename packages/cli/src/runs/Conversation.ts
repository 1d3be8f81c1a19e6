// The conversation of a session, for people.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"
import * as Groups from "../service/Groups.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { Output } from "../terminal/Output.ts"
import * as RunText from "./RunText.ts"

interface Message {
  readonly role: string
  readonly content?: unknown
}

const shownRoles: ReadonlyArray<string> = ["user", "assistant"]

/** How many messages a resumed conversation begins with. */
const earlier = 10

const isShown = ({ content, role }: Message): boolean =>
  shownRoles.includes(role) && content !== null && content !== undefined && content !== ""

export const show = Effect.fn("Conversation.show")(function*(messages: ReadonlyArray<Message>) {
  const output = yield* Output
  for (const { content, role } of messages.filter(isShown)) {
    yield* output.line()
    yield* output.heading(role)
    yield* output.line(RunText.contentOf(content as Json.Value))
  }
})

/** The end of the conversation that is resumed. */
export const showEarlier = Effect.fn("Conversation.showEarlier")(
  function*(service: ServiceClient.Service, session: string) {
    const found = yield* ServiceClient.call(
      service,
      "Reading the session",
      Groups.sessions,
      "get",
      { params: { session_id: session } }
    )
    const history = ("chat_history" in found ? found.chat_history : undefined) ?? []
    yield* show((history as ReadonlyArray<Message>).filter(isShown).slice(-earlier))
  }
)
