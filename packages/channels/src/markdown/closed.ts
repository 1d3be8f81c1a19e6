// The text of an answer that is still being written.
import { marksOf } from "./openMarks.ts"
import { placeAtEnd } from "./split.ts"

/** A last line that says nothing yet, and would turn into something else with its next character. */
const begun = /^[ >]{0,50}(?:[-+*=_]+|#{1,6}|\d{1,9}[.)]|`{1,2}|~{1,2}|[-*+] \[[ x]?)?[ ]{0,50}$/
/** In a block of code, what may become its end. */
const ending = /^[ >]{0,50}[`~]{1,2}$/

/** Marks without a text behind them yet. */
const lonely = /\s[*_~]{1,3}$/

const withoutLast = (text: string, isLeftOut: RegExp): string => {
  const at = text.lastIndexOf("\n") + 1
  return (isLeftOut.test(text.slice(at)) ? text.slice(0, at) : text).trimEnd()
}

/**
 * Markdown that may end anywhere, as if what is open at its end ended there: code, emphasis, and a link, of which its
 * text is shown. Marks without a text behind them are left out.
 *
 * @example
 * ```ts
 * closed("This is **imp") // "This is **imp**"
 * ```
 */
export const closed = (markdown: string): string => {
  const place = placeAtEnd(markdown)
  if (place.fence !== undefined) {
    const { mark, opening, quote } = place.fence
    const text = withoutLast(markdown, ending)
    const isEmpty = text.endsWith(opening.trimEnd())
    return isEmpty ? text.slice(0, text.length - opening.trimEnd().length).trimEnd() : `${text}\n${quote}${mark}`
  }
  let text = withoutLast(markdown, begun).replace(lonely, "")
  const { link } = marksOf(text.slice(place.paragraph))
  if (link !== undefined) text = `${text.slice(0, place.paragraph + link.at)}${link.text}`.trimEnd()
  const { open } = marksOf(text.slice(place.paragraph))
  let marks = open.length
  for (let mark = open[marks - 1]; mark !== undefined; mark = open[marks - 1]) {
    if (place.paragraph + mark.at + mark.mark.length < text.length) break
    text = text.slice(0, place.paragraph + mark.at).trimEnd()
    marks--
  }
  return text + open.slice(0, marks).toReversed().map(({ mark }) => mark).join("")
}
