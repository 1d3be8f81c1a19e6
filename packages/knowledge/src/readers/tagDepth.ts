// How deep tags are nested, in one pass over the text. The parser needs the square of the depth, before its document
// can be measured: so a text that is nested too deep is refused before it is parsed. The rules are those of the parser.

const named = (names: string): ReadonlySet<string> => new Set(names.split(" "))

const voids = named(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr"
)

/** Their content is text. */
const raw = named("script style title textarea")

/** Elements without an end, which the start of one of these tags ends. */
const endedBy: ReadonlyArray<readonly [tags: string, ended: string]> = [
  [
    "address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr " +
    "main nav ol p pre section table ul",
    "p"
  ],
  ["li", "li"],
  ["dd dt", "dd dt"],
  ["rt rp", "rt rp"],
  ["tr", "tr th td"],
  ["td", "thead th td"],
  ["th", "th"],
  ["tbody tfoot", "thead tbody"],
  ["option", "option"],
  ["optgroup", "optgroup option"],
  ["select input output button datalist textarea", "input option optgroup select button datalist textarea"],
  ["body", "head link script"]
]

const ends = new Map(
  endedBy.flatMap(([tags, ended]) => tags.split(" ").map((tag) => [tag, named(ended)] as const))
)

/** The open elements. An end of an element that is not open is found without a search. */
class OpenElements {
  readonly #names: Array<string> = []
  readonly #counts = new Map<string, number>()

  get depth(): number {
    return this.#names.length
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  start(name: string): void {
    this.#names.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  endThose(ended: ReadonlySet<string> | undefined): void {
    while (ended?.has(this.#names.at(-1) ?? "") === true) this.#endLast()
  }

  end(name: string): void {
    if (!this.has(name)) return
    while (this.#endLast() !== name);
  }

  #endLast(): string | undefined {
    const name = this.#names.pop()
    if (name !== undefined) this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1)
    return name
  }
}

/** The place of the `>` that ends the tag. It can be part of a value. */
const endOfTag = (html: string, from: number): number => {
  for (let place = from; place < html.length; place++) {
    const character = html[place]
    if (character === ">") return place
    if (character !== "=") continue
    while (/\s/.test(html[place + 1] ?? "")) place++
    const quote = html[place + 1]
    if (quote !== "\"" && quote !== "'") continue
    const end = html.indexOf(quote, place + 2)
    if (end < 0) return html.length
    place = end
  }
  return html.length
}

/** The attributes of a tag. The parser needs the square of their number. */
const attributesIn = (html: string, from: number, end: number): number => {
  let [count, isBetween] = [0, true]
  const isSpace = (place: number) => /\s/.test(html[place] ?? "")
  for (let place = from; place < end; place++) {
    if (html[place] === "=") {
      while (isSpace(place + 1)) place++
      const quote = html[place + 1]
      const isQuoted = quote === "\"" || quote === "'"
      if (isQuoted) place = html.indexOf(quote, place + 2)
      else while (place + 1 < end && !isSpace(place + 1)) place++
      if (place < 0) return count
      isBetween = isQuoted
    } else if (html[place] === "/" || isSpace(place)) isBetween = true
    else if (isBetween) {
      count += 1
      isBetween = false
    }
  }
  return count
}

export interface Most {
  readonly depth: number
  /** Of one tag. */
  readonly attributes?: number
  readonly isXml?: boolean
}

/** Whether tags are nested deeper, in a page or in a document of XML. */
export const isDeeper = (text: string, depth: number, { isXml = false } = {}): boolean =>
  excessOf(text, { depth, isXml }) !== undefined

/** Of what there is more in a page or in a document of XML. */
export const excessOf = (
  text: string,
  { attributes = Infinity, depth, isXml = false }: Most
): "attributes" | "depth" | undefined => {
  const open = new OpenElements()
  const tag = /<(?:!--|(\/?)([a-z][^\s/>]*))/gi
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const [, slash, given] = found
    if (given === undefined) {
      const end = text.indexOf("-->", tag.lastIndex)
      if (end < 0) return undefined
      tag.lastIndex = end
      continue
    }
    const name = isXml ? given : given.toLowerCase()
    if (slash === "/") {
      open.end(name)
      continue
    }
    const from = tag.lastIndex
    const end = endOfTag(text, from)
    if (end - from > attributes && attributesIn(text, from, end) > attributes) return "attributes"
    tag.lastIndex = end
    if (!isXml) open.endThose(ends.get(name))
    const isClosed = text[end - 1] === "/" && (isXml || open.has("svg") || open.has("math"))
    if (isClosed || (!isXml && voids.has(name))) continue
    if (!isXml && raw.has(name)) {
      const close = new RegExp(`</${name}`, "gi")
      close.lastIndex = end
      tag.lastIndex = close.exec(text)?.index ?? text.length
      continue
    }
    open.start(name)
    if (open.depth > depth) return "depth"
  }
  return undefined
}
