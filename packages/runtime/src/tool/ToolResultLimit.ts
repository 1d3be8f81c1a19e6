// How long the result of a tool may be. A longer one is cut, and says so: to the model, in events and in what is stored.
import { Context } from "effect"

/** Characters. */
export const ToolResultLimit = Context.Reference<number>("@svc/runtime/tool/ToolResultLimit", {
  defaultValue: () => 1024 * 1024
})

/** Without half of a character at its end. */
const start = (text: string, length: number): string => text.slice(0, length).toWellFormed()

export const cut = (text: string, limit: number): string =>
  text.length <= limit
    ? text
    : `${start(text, limit)}\n[The result was cut after ${limit} of ${text.length} characters (TOOL_RESULT_MAX_BYTES)]`
