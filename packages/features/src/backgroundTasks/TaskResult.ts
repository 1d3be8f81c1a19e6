// The message with which the result of a background task joins its session.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import type * as BackgroundTask from "./BackgroundTask.ts"

export interface Result {
  readonly status: BackgroundTask.Status
  readonly text: string
}

const fallbacks = { COMPLETED: "It gave no answer.", ERROR: "It failed.", CANCELLED: "It was cancelled." } as const

/** The end of the run of a task. Undefined: it has not ended. */
export const ofRun = (output: AnyRun.Output, late: string | undefined): Result | undefined => {
  const { content = "", status } = output
  if (status === "PAUSED") return undefined
  if (status === "CANCELLED" && late !== undefined) return { status, text: late }
  const ended = status === "COMPLETED" || status === "CANCELLED" ? status : "ERROR"
  const text = Run.textOf(content)
  return { status: ended, text: text === "" ? fallbacks[ended] : text }
}

const encoder = new TextEncoder()

/** The beginning of a text that is longer than the limit. */
export const cut = (text: string, limit: number): string => {
  const bytes = TextBytes.of(text)
  if (bytes <= limit) return text
  // a character that is cut is waited for, and never comes
  const beginning = new TextDecoder().decode(encoder.encode(text).subarray(0, limit), { stream: true })
  return `${beginning}\n\n[Cut: the result has ${bytes} bytes, and ${limit} are shown.]`
}

const ends = {
  COMPLETED: "has completed. This is its result",
  ERROR: "has failed. This is the reason",
  CANCELLED: "was cancelled. This is the reason"
} as const

const tag = "background_task_result"

export const message = (
  { id, tool_name }: Pick<BackgroundTask.Stored, "id" | "tool_name">,
  { status, text }: Result
): string => {
  const end = status === "COMPLETED" || status === "CANCELLED" ? status : "ERROR"
  // a result cannot end its own block, and so cannot speak as the user
  const inside = text.replaceAll(new RegExp(`</(?=\\s*${tag})`, "gi"), "<\\/")
  return `The background task ${id} of ${tool_name} ${ends[end]}, and no message of the user.\n\n` +
    `<${tag} task_id="${id}" status="${status}">\n${inside}\n</${tag}>`
}
