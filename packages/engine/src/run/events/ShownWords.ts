// Words are shown before they are stored, and everything else after. A word is a piece of the answer or of the
// reasoning, and nothing else: the whole answer is stored at its end, so a lost word is missed by no one but its
// watchers. Only words that continue the text of a stored word are shown early, and at most `maxAhead` of them.
//
// So the last stored event of a run says to its next attempt whether more may have been shown, and of which text. It
// gives their indexes to blanks: words without text. A watcher that has seen lost words continues behind them in the
// same numbers, and gets all that the new attempt shows. This includes protocols that number their own frames.
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as JoinedText from "./JoinedText.ts"

/** How many words of a run may be shown that are not stored. */
export const maxAhead = 16

/** Characters of the text of each. The feed of a run keeps all of these words, even where memory is short. */
const maxLength = 256

/** Behind so many, words are stored soon, so that the next ones need not wait. */
export const storedSoon = maxAhead / 2

export const isWord = (event: RunEvent.RunEvent): boolean => {
  if ("citations" in event || "image" in event) return false
  const texts: JoinedText.Texts = event
  const field = JoinedText.fieldOf(texts)
  return field !== undefined && String(texts[field]).length <= maxLength
}

/** Whether words may have been shown behind the last event of a run. A process may store only some blanks, and die. */
export const canBeFollowed = (last: RunEvent.RunEvent): boolean => isWord(last) || RunEvent.isBlank(last)

/** Take the places of words that may have been shown behind the last stored word. */
export const blanksAfter = (lastWord: RunEvent.RunEvent | undefined): ReadonlyArray<RunEvent.RunEvent> =>
  lastWord === undefined ?
    [] :
    Array.from({ length: maxAhead }, (_, index): RunEvent.RunEvent =>
      Object.assign({}, lastWord, {
        content: "",
        reasoning_content: "",
        event_index: lastWord.event_index + 1 + index
      }))
