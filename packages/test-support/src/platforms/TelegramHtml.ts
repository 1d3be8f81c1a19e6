// The HTML of Telegram's Bot API (parse mode HTML): what it refuses, and the text that is left after its entities.
// https://core.telegram.org/bots/api#html-style

const simple = new Set(["b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "tg-spoiler", "code", "pre"])

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": "\"" }

export interface Parsed {
  readonly text: string
  /** What is wrong, in the words of Telegram. */
  readonly problem?: string
}

const refusalOf = (name: string, attributes: string, open: ReadonlyArray<string>): string | undefined => {
  if (name === "a") return /^\s+href="[^"]*"$/.test(attributes) ? undefined : "Tag \"a\" must have attribute \"href\""
  if (name === "blockquote") {
    return open.includes("blockquote") ? "blockquote entities cannot be nested" : undefined
  }
  if (name === "span") {
    return attributes.trim() === "class=\"tg-spoiler\"" ? undefined : "Tag \"span\" must have class \"tg-spoiler\""
  }
  return simple.has(name) ? undefined : `Unsupported start tag "${name}"`
}

/** As Telegram reads it: tags are few, closed in order, and each other `<` or `&` is a mistake. */
export const parse = (html: string): Parsed => {
  const open: Array<string> = []
  let text = ""
  let rest = html
  const fail = (problem: string): Parsed => ({
    text,
    problem: `Bad Request: can't parse entities: ${problem} at byte offset ${
      Buffer.byteLength(html.slice(0, html.length - rest.length))
    }`
  })
  while (rest !== "") {
    const tag = /^<(\/?)([a-z-]+)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/i.exec(rest)
    const entity = /^&(?:lt|gt|amp|quot|#\d+|#x[0-9a-f]+);/i.exec(rest)
    if (tag !== null) {
      const [whole, slash, given = "", attributes = ""] = tag
      const name = given.toLowerCase()
      if (slash === "") {
        const problem = refusalOf(name, attributes, open)
        if (problem !== undefined) return fail(problem)
        open.push(name)
      } else {
        const expected = open.pop()
        if (expected === undefined) return fail("Unexpected end tag")
        if (expected !== name) return fail(`Unmatched end tag, expected "</${expected}>", found "</${name}>"`)
      }
      rest = rest.slice(whole.length)
    } else if (entity !== null) {
      const [whole] = entity
      const code = whole.startsWith("&#x") ? parseInt(whole.slice(3), 16) : Number(whole.slice(2, -1))
      text += entities[whole] ?? String.fromCodePoint(code)
      rest = rest.slice(whole.length)
    } else if (rest.startsWith("<")) {
      return fail("Unsupported start tag")
    } else {
      const plain = /^(?:&|[^<&]+)/.exec(rest)![0]
      text += plain
      rest = rest.slice(plain.length)
    }
  }
  return open.length === 0 ? { text } : fail(`Can't find end tag corresponding to start tag "${open.at(-1)}"`)
}
