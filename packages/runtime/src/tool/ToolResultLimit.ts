// The maximum size of a tool result. A longer one is truncated with a note, for the model, in events and in the store.
import { Context } from "effect"

/** Characters. */
export const ToolResultLimit = Context.Reference<number>("@svc/runtime/tool/ToolResultLimit", {
  defaultValue: () => 1024 * 1024
})

/** Without half of a surrogate pair at its end. */
const start = (text: string, length: number): string => text.slice(0, length).toWellFormed()

export const cut = (text: string, limit: number): string =>
  text.length <= limit
    ? text
    : `${start(text, limit)}\n[The result was cut after ${limit} of ${text.length} characters (TOOL_RESULT_MAX_BYTES)]`
