// How the demo model summarizes a session: it adds the start of each message of the user to the earlier summary.
import { userTextOf } from "./DemoMemories.ts"

/** The name of the format in which a service asks for a summary. */
export const formatName = "SessionSummary"

const blockIn = (system: string, name: string): string =>
  new RegExp(`<${name}>\n([^]*?)\n</${name}>`).exec(system)?.[1]?.trim() ?? ""

const longest = 1000

/** From a conversation of one JSON message in each line. */
export const summary = (conversation: string, system: string) => {
  const added = conversation.split("\n").map(userTextOf).filter((text) => text !== "")
    .map((text) => `The user wrote: ${text.replaceAll(/\s+/g, " ").slice(0, 100)}`)
  const all = [blockIn(system, "earlier_summary"), ...added].filter((text) => text !== "").join("; ")
  return { summary: all.slice(-longest) || "Nothing was written.", topics: [] }
}

/** What a system message shows of the session. */
export const shownIn = (system: string): string => blockIn(system, "summary_of_this_session").split("\n").at(-1) ?? ""
