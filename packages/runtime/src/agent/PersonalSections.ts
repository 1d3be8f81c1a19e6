// The sections of a system message about a user and a session. A run that continues another one has the messages of
// that run without them: it is shown what is known when it starts, if it may be shown anything.
import type * as Message from "@svc/domain/Message"

/** The tags of the sections. Texts in them have no `<`, so each ends at the first closing tag. */
const tags = ["memories_about_the_user", "summary_of_this_session", "learnings"]

const sections = new RegExp(`\\n*<(${tags.join("|")})>\\n[^<]*(?:</\\1>|$)`, "g")

export const isSystem = ({ role }: Message.Message): boolean => role === "system" || role === "developer"

/** Of system messages. One that has nothing else is left out. */
export const withoutSections = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> =>
  messages.flatMap((message) => {
    if (message.content === undefined) return [message]
    const content = message.content.replaceAll(sections, "").replace(/^\n+/, "")
    return content === "" ? [] : [{ ...message, content }]
  })
