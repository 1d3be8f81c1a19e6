// The text of an agent in the form of a platform. Agents write Markdown, and each platform has a form of its own, which
// is a table of functions.
import { markdownBlocks } from "@svc-runtime/domain/markdownBlocks"
import { Result } from "effect"
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked"
import { aligned, type Table } from "./markdown/aligned.ts"
import { decoded } from "./markdown/decoded.ts"

export type { Table } from "./markdown/aligned.ts"
export { closed } from "./markdown/closed.ts"
export { split } from "./markdown/split.ts"

/** The characters before and behind a mark, none at the ends. Some platforms need a space or a mark there. */
export interface Around {
  readonly before: string
  readonly after: string
}

export interface Item {
  /** 0 for a list that is in no other one. */
  readonly depth: number
  /** In a list with numbers. */
  readonly number?: number | undefined
  /** Of a task. */
  readonly isChecked?: boolean | undefined
}

/** How a platform writes. `content` is in its form already. All other texts are not escaped yet. */
export interface Form {
  /** Escapes what means something to the platform, such as a mention of everybody. */
  readonly text: (text: string) => string
  /** Never in another strong text or in a heading. */
  readonly strong: (content: string, around: Around) => string
  readonly emphasis: (content: string, around: Around) => string
  readonly strike: (content: string, around: Around) => string
  readonly code: (text: string, around: Around) => string
  readonly codeBlock: (text: string, language: string) => string
  /** The URL begins with `http:`, `https:`, `mailto:` or `tel:`. `isBare`: the text is the URL. */
  readonly link: (content: string, url: string, isBare: boolean) => string
  readonly heading: (content: string, depth: number) => string
  /** What an item of a list begins with, such as `• `. Its lines are indented by `indent` for each list around it. */
  readonly marker: (item: Item) => string
  readonly indent: string
  /** `depth` is 0 for a quote that is in no other one. */
  readonly quote: (content: string, depth: number) => string
  readonly rule: string
  /** A block of code with aligned columns when left out. */
  readonly table?: ((table: Table) => string) | undefined
}

/** Each line behind `mark`. */
export const prefixed = (content: string, mark: string): string =>
  content.split("\n").map((line) => `${mark}${line}`.trimEnd()).join("\n")

/** As most platforms have lists: a bullet, a number or a box. */
export const bullet = ({ depth, isChecked, number }: Item): string =>
  isChecked !== undefined
    ? (isChecked ? "☑ " : "☐ ")
    : number !== undefined
    ? `${number}. `
    : depth % 2 === 0
    ? "• "
    : "◦ "

/** Text without any form, such as an SMS. */
export const plain: Form = {
  text: (text) => text,
  strong: (content) => content,
  emphasis: (content) => content,
  strike: (content) => content,
  code: (text) => text,
  codeBlock: (text) => text,
  link: (content, url, isBare) => isBare ? content : `${content} (${url})`,
  heading: (content) => content,
  marker: bullet,
  indent: "  ",
  quote: (content) => prefixed(content, "> "),
  rule: "---"
}

interface State {
  readonly form: Form
  readonly isStrong: boolean
  readonly isEmphasis: boolean
  readonly isLink: boolean
  readonly lists: number
  readonly quotes: number
}

const linkable = /^(?:https?:|mailto:|tel:)/i

/** A line with what stands around its text, white space. */
export const wrapped = (line: string, mark: string): string => {
  const text = line.trim()
  if (text === "") return line
  const start = line.length - line.trimStart().length
  return `${line.slice(0, start)}${mark}${text}${mark}${line.slice(start + text.length)}`
}

const lineBreak = /^<br\s*\/?>$/i

/** There are no extensions, whose tokens would be others. */
const isMarked = (_: Token): _ is MarkedToken => true

const linked = (content: string, href: string, isBare: boolean, { form, isLink }: State): string => {
  if (isLink || href === "") return content
  if (linkable.test(href)) return form.link(content, href, isBare)
  return isBare ? content : `${content}${form.text(` (${href})`)}`
}

const inlineToken = (token: Token, state: State, around: () => Around): string => {
  const { form } = state
  if (!isMarked(token)) return ""
  switch (token.type) {
    case "strong": {
      if (state.isStrong) return inline(token.tokens, state)
      return form.strong(inline(token.tokens, { ...state, isStrong: true }), around())
    }
    case "em": {
      if (state.isEmphasis) return inline(token.tokens, state)
      return form.emphasis(inline(token.tokens, { ...state, isEmphasis: true }), around())
    }
    case "del":
      return form.strike(inline(token.tokens, state), around())
    case "codespan":
      return form.code(token.text, around())
    case "link": {
      const isBare = token.text === token.href || `mailto:${token.text}` === token.href
      return linked(inline(token.tokens, { ...state, isLink: true }), token.href, isBare, state)
    }
    case "image":
      return linked(
        form.text(decoded(token.text === "" ? token.href : token.text)),
        token.href,
        token.text === "",
        state
      )
    case "br":
      return "\n"
    case "html":
      return lineBreak.test(token.text) ? "\n" : form.text(token.text)
    case "escape":
      return form.text(token.text)
    case "text":
      return token.tokens === undefined ? form.text(decoded(token.text)) : inline(token.tokens, state)
    case "checkbox":
      return ""
    default:
      return form.text(token.raw)
  }
}

const inline = (tokens: ReadonlyArray<Token>, state: State): string => {
  let out = ""
  for (const [index, token] of tokens.entries()) {
    const after = tokens[index + 1]?.raw ?? ""
    out += inlineToken(token, state, () => ({ before: out.slice(-1), after: after.slice(0, 1) }))
  }
  return out
}

const indented = (content: string, state: State, lists: number): string =>
  lists === 0 ? content : prefixed(content, state.form.indent.repeat(lists))

const itemOf = (item: Tokens.ListItem, number: number | undefined, state: State): string => {
  const marker = state.form.marker({
    depth: state.lists,
    number,
    isChecked: item.task ? item.checked === true : undefined
  })
  const first = item.tokens.findIndex((token) => token.type !== "checkbox" && token.type !== "space")
  const token = item.tokens[first]
  const isText = token !== undefined && (token.type === "text" || token.type === "paragraph")
  const inside = { ...state, lists: state.lists + 1 }
  const text = isText ? inline(token.tokens ?? [token], inside) : ""
  const [line = "", ...lines] = text.split("\n")
  const begin = indented(`${marker}${line}`, state, state.lists)
  const rest = lines.length === 0 ? [] : [indented(lines.join("\n"), state, state.lists + 1)]
  const others = item.tokens.slice(isText ? first + 1 : Math.max(first, 0))
  return [begin, ...rest, ...blocks(others, inside)].join("\n")
}

const tableOf = ({ align, header, rows }: Tokens.Table, { form }: State): string => {
  const flat: State = { form: plain, isStrong: true, isEmphasis: true, isLink: true, lists: 0, quotes: 0 }
  const cells = [header, ...rows].map((row) => row.map((cell) => inline(cell.tokens, flat).replaceAll("\n", " ")))
  const table = { rows: cells, align }
  return form.table === undefined ? form.codeBlock(aligned(table), "") : form.table(table)
}

const block = (token: Token, state: State): string => {
  const { form } = state
  if (!isMarked(token)) return ""
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return ""
    case "code":
      return form.codeBlock(token.text, /^[\w+#.-]{1,40}/.exec(token.lang ?? "")?.[0] ?? "")
    case "heading":
      return indented(form.heading(inline(token.tokens, { ...state, isStrong: true }), token.depth), state, state.lists)
    case "hr":
      return form.rule
    case "blockquote": {
      const content = blocks(token.tokens, { ...state, lists: 0, quotes: state.quotes + 1 }).join("\n")
      return indented(form.quote(content, state.quotes), state, state.lists)
    }
    case "list": {
      const first = token.ordered ? Number(token.start) : undefined
      return token.items
        .map((item, index) => itemOf(item, first === undefined ? undefined : first + index, state))
        .join("\n")
    }
    case "table":
      return tableOf(token, state)
    case "paragraph":
      return indented(inline(token.tokens, state), state, state.lists)
    case "html":
      return form.text(token.text.trimEnd())
    default:
      return indented(inlineToken(token, state, () => ({ before: "", after: "" })), state, state.lists)
  }
}

const blocks = (tokens: ReadonlyArray<Token>, state: State): ReadonlyArray<string> =>
  tokens.map((token) => block(token, state)).filter((content) => content !== "")

/** The time of the parser may grow with the square of the length of a block. */
const maxBlock = 8000

/** Quotes and lists in each other. The parser needs the square of their depth, and people do not write such texts. */
const maxDepth = 20

/** Fails on texts that are deeper. */
class BoundedTokenizer extends Tokenizer {
  #depth = 0

  #inside<A>(begins: RegExp, src: string, read: () => A): A | undefined {
    if (this.#depth === maxDepth) {
      if (begins.test(src)) throw new RangeError(`More than ${maxDepth} lists and quotes are in each other.`)
      return undefined
    }
    this.#depth++
    try {
      return read()
    } finally {
      this.#depth--
    }
  }

  override blockquote(src: string) {
    return this.#inside(this.rules.block.blockquote, src, () => super.blockquote(src))
  }

  override list(src: string) {
    return this.#inside(this.rules.block.list, src, () => super.list(src))
  }
}

/** A block that the parser cannot read stays as it is. */
const rendered = (text: string, form: Form): string => {
  const state: State = { form, isStrong: false, isEmphasis: false, isLink: false, lists: 0, quotes: 0 }
  const read = () => blocks(new Lexer({ gfm: true, tokenizer: new BoundedTokenizer() }).lex(text), state).join("\n\n")
  const content = text.length > maxBlock ? Result.fail(undefined) : Result.try(read)
  return Result.getOrElse(content, () => form.text(text.trim()))
}

/**
 * Markdown in the form of a platform.
 *
 * @example
 * ```ts
 * render("See **[the report](https://a.example)**", plain) // "See the report (https://a.example)"
 * ```
 */
export const render = (markdown: string, form: Form): string =>
  markdownBlocks(markdown, maxBlock / 2).map((text) => rendered(text, form)).filter((text) => text !== "").join("\n\n")
