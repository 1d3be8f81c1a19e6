// A conversation as a file: Markdown for people, JSON with all runs for programs.
import { svc } from "../service/Service.ts"
import { ofRecord, type Recorded } from "./StoredTurns.ts"
import type { Part, Turn } from "./Turn.ts"

const recordsOf = async (session_id: string) => await svc().sessions.runs(session_id) as ReadonlyArray<Recorded>

/** A text in a fence that it does not close. */
const fenced = (text: string, language = ""): string => {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

const partText = (part: Part): string => {
  switch (part.type) {
    case "text":
      return part.text
    case "value":
      return fenced(JSON.stringify(part.value, null, 2), "json")
    case "call":
      return `> Tool \`${part.tool.tool_name}\` with \`${JSON.stringify(part.tool.tool_args)}\``
    case "activity":
      return [part.title === "" ? "" : `### ${part.title}`, ...part.parts.map(partText)].filter(Boolean).join("\n\n")
    default:
      return ""
  }
}

/** A fence that a text leaves open would take in all that follows. */
const closed = (text: string): string => {
  let open: string | undefined
  for (const [, fence = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})/gm)) {
    if (open === undefined) open = fence
    else if (fence[0] === open[0] && fence.length >= open.length) open = undefined
  }
  return open === undefined ? text : `${text}\n${open}`
}

/** The messages and answers, each under its speaker and between lines. Reasoning and media are left out. */
export const markdownOf = (title: string, turns: ReadonlyArray<Turn>): string =>
  [
    `# ${title.replaceAll(/\s+/g, " ").trim()}`,
    ...turns.flatMap(({ error, input, root }) => [
      "---",
      "**You**",
      closed(input),
      "---",
      "**Answer**",
      closed(partText(root)),
      error instanceof Error ? `The run failed: ${error.message}` : ""
    ])
  ].filter((text) => text !== "").join("\n\n") + "\n"

const save = (name: string, type: string, text: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  // the browser has begun to save it
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** What every system takes as the name of a file. */
const fileName = (title: string): string =>
  title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60).replaceAll(/^-|-$/g, "") || "conversation"

export const saveMarkdown = async (session_id: string, title: string): Promise<void> => {
  const records = await recordsOf(session_id)
  const turns = records
    .filter(({ is_on_path, parent_run_id }) => !parent_run_id && is_on_path !== false)
    .map((record) => ofRecord(record, session_id, records))
  save(`${fileName(title)}.md`, "text/markdown", markdownOf(title, turns))
}

export const saveJson = async (session_id: string, title: string): Promise<void> =>
  save(`${fileName(title)}.json`, "application/json", JSON.stringify(await recordsOf(session_id), null, 2))
