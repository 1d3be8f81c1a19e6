// Where the next run of a conversation is in the tree of its session: after the last answer that the client shows. A
// client that cuts or edits its messages continues after what is left of them.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"

/** A message of the client. The id of its run is undefined if its id names none. */
export interface Shown {
  readonly role: string
  readonly run_id?: string | undefined
}

/** More answers than these between two messages of a user are not looked up. */
const maxKnown = 20

/**
 * `isCut`: the client shows that the last message, or its answer, was there before. A client that shows another message
 * of a user without an answer may have hidden it, so that its next run comes after the leaf.
 */
export const placeOf = (messages: ReadonlyArray<Shown>, { isCut = false }: { readonly isCut?: boolean } = {}) => {
  const earlier = messages.slice(0, messages.findLastIndex(({ role }) => role === "user"))
  const before = earlier.findLastIndex(({ role }) => role === "user")
  const ids = earlier.slice(before + 1).flatMap(({ run_id }) => run_id === undefined ? [] : [run_id]).reverse()
  return {
    known: [...new Set(ids)].filter(Ids.isExact).slice(0, maxKnown).map((id) => ({ run_id: Run.Id.make(id) })),
    otherwise: isCut && before < 0 ? "first" : "leaf"
  } as const
}
