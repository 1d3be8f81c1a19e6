// How many bytes of what is stored one answer may carry: the chat history of a session, or a list of its runs. The setting
// is ANSWER_MAX_BYTES.
import { Context } from "effect"

export const defaultAnswerLimit = 32 * 1024 * 1024

export const AnswerLimit = Context.Reference<number>("@svc/runtime/AnswerLimit", {
  defaultValue: () => defaultAnswerLimit
})
