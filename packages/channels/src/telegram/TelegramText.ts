// Markdown as the HTML that Telegram reads: https://core.telegram.org/bots/api#html-style
import * as Markdown from "../Markdown.ts"

/** Counted after the entities are read. */
export const maxText = 4096

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const language = (name: string): string => /^[\w+#.-]{1,30}$/.test(name) ? ` class="language-${name}"` : ""

const form: Markdown.Form = {
  ...Markdown.plain,
  text: escape,
  strong: (content) => `<b>${content}</b>`,
  emphasis: (content) => `<i>${content}</i>`,
  strike: (content) => `<s>${content}</s>`,
  code: (text) => `<code>${escape(text)}</code>`,
  codeBlock: (text, name) => `<pre><code${language(name)}>${escape(text)}</code></pre>`,
  link: (content, url, isBare) => isBare ? content : `<a href="${escape(url)}">${content}</a>`,
  heading: (content) => `<b>${content}</b>`,
  // quotes cannot be nested
  quote: (content, depth) => depth === 0 ? `<blockquote>${content}</blockquote>` : Markdown.prefixed(content, "&gt; "),
  rule: "—————"
}

export const html = (markdown: string): string => Markdown.render(markdown, form)

/** As Telegram counts: without tags, and an entity is one character. */
export const lengthOf = (html: string): number => html.replaceAll(/<[^<>]*>/g, "").replaceAll(/&\w+;/g, "_").length

export const split = (markdown: string): ReadonlyArray<string> =>
  Markdown.split(markdown, maxText, (part) => lengthOf(html(part)))

/** With the status in a line of its own, if there is room for it. Telegram refuses an empty text. */
export const htmlOf = (text: string, status: string | undefined): string => {
  const content = html(text)
  const quiet = status === undefined ? "" : `<i>${escape(status)}</i>`
  if (content.trim() === "") return quiet === "" ? "…" : quiet
  if (quiet === "" || lengthOf(content) + 2 + lengthOf(quiet) > maxText) return content
  return `${content}\n\n${quiet}`
}
