// Instructions at the end of a request, where clients put reminders. A run has a message of the user as its input.
import { Array as Arr } from "effect"

export interface Kinds<A> {
  /** Of `system` or `developer`. */
  readonly isInstruction: (message: A) => boolean
  readonly isOfUser: (message: A) => boolean
  /** Of a call. */
  readonly isResult: (message: A) => boolean
  readonly asUser: (message: A) => A
}

/** They are before the message that they are for. Without one, the last of them is the input. */
export const moved = <A>(
  messages: Arr.NonEmptyReadonlyArray<A>,
  { asUser, isInstruction, isOfUser, isResult }: Kinds<A>
): Arr.NonEmptyReadonlyArray<A> => {
  const end = messages.findLastIndex((message) => !isInstruction(message)) + 1
  if (end === messages.length) return messages
  const last = messages[end - 1]
  if (last === undefined || !isOfUser(last) && !isResult(last)) {
    return Arr.map(messages, (message, index) => index === messages.length - 1 ? asUser(message) : message)
  }
  const at = Math.max(0, messages.slice(0, end).findLastIndex(isOfUser))
  const before = [...messages.slice(0, at), ...messages.slice(end), ...messages.slice(at, end - 1)]
  return Arr.append(before, last)
}
