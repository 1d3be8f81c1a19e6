// Makes text of what the library for Word documents leaves out: equations, the alternative texts of pictures, and
// comments.
import { DOMParser } from "linkedom"
import { commentOf } from "./comment.ts"
import { lineOf } from "./equation.ts"

const tokens =
  /<w:(?:drawing|pict|object)\b|<wp:docPr\b[^<>]*>|<v:(?:shape|rect|roundrect|group)\b[^<>]*>|<w:commentReference\b[^<>]*>|<m:oMath(?=[\s>])/g

const textElement = (escaped: string): string => `<w:t xml:space="preserve">${escaped}</w:t>`

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("]]>", "]]&gt;")

/** As it is written: with its entities. */
const attributeOf = (tag: string, name: string): string =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&quot;", "\"").trim() ?? ""

const equationOf = (xml: string): string => {
  const document = new DOMParser().parseFromString(xml, "text/xml")
  return document.firstElementChild === null ? "" : lineOf(document.firstElementChild as never)
}

const endOfEquation = "</m:oMath>"

/** The part of a document with these texts in it. Each comment is taken from the map, so that it is there once. */
export const withTexts = (xml: string, comments: Map<string, string>): string => {
  const pieces: Array<string> = []
  let [place, picture] = [0, -1]
  const copy = (end: number) => {
    pieces.push(xml.slice(place, end))
    place = end
  }
  const alternative = (text: string) => {
    if (picture >= 0 && text !== "") pieces[picture] = textElement(` ${text} `)
    picture = -1
  }
  tokens.lastIndex = 0
  for (let token = tokens.exec(xml); token !== null; token = tokens.exec(xml)) {
    const [tag] = token
    copy(token.index)
    if (tag.startsWith("<m:oMath")) {
      const end = xml.indexOf(endOfEquation, place)
      if (end < 0) break
      tokens.lastIndex = end + endOfEquation.length
      pieces.push(`<w:r>${textElement(escape(equationOf(xml.slice(place, tokens.lastIndex))))}</w:r>`)
      place = tokens.lastIndex
    } else if (tag.startsWith("<w:commentReference")) {
      const id = attributeOf(tag, "w:id")
      const comment = comments.get(id)
      if (comment === undefined) continue
      comments.delete(id)
      pieces.push(textElement(` ${escape(commentOf(comment))}`))
    } else if (tag.startsWith("<wp:docPr")) {
      alternative(attributeOf(tag, "descr") || attributeOf(tag, "title"))
      // the library would read it too
      pieces.push(tag.replace(/\s(?:descr|title)="[^"]*"/g, ""))
      place += tag.length
    } else if (tag.startsWith("<v:")) alternative(attributeOf(tag, "alt"))
    else picture = pieces.push("") - 1
  }
  copy(xml.length)
  // the library knows no equations that stand alone
  return pieces.join("").replace(/<\/?m:oMathPara(?=[\s>])[^<>]*>/g, "")
}
