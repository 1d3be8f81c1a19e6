// The text of an agent as `mrkdwn`, and the text of a person as the agent reads it:
// https://docs.slack.dev/messaging/formatting-message-text
import * as Markdown from "../Markdown.ts"

/** Slack reads these three characters, also in code. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** A mark counts only between characters of which none is a letter or a digit. This one has no width. */
const gap = "\u200b"

const isWord = (character: string): boolean => /[\p{L}\p{N}_*~`]/u.test(character)

/** Marks do not count beyond a line, or next to a space. */
const marked = (mark: string, content: string, { after, before }: Markdown.Around): string => {
  const lines = content.split("\n").map((line) => Markdown.wrapped(line, mark))
  return `${isWord(before) ? gap : ""}${lines.join("\n")}${isWord(after) ? gap : ""}`
}

/** In a link, these would end its address. */
const address = (url: string): string =>
  escaped(url).replaceAll("|", "%7C").replaceAll("&lt;", "%3C").replaceAll("&gt;", "%3E").replaceAll(/\s/g, "%20")

export const form: Markdown.Form = {
  text: escaped,
  strong: (content, around) => marked("*", content, around),
  emphasis: (content, around) => marked("_", content, around),
  strike: (content, around) => marked("~", content, around),
  // code cannot have its mark, so that one that looks alike stands for it
  code: (text, around) => marked("`", escaped(text).replaceAll("`", "ˋ"), around),
  codeBlock: (text) => `\`\`\`\n${escaped(text).replaceAll("```", `\`\`${gap}\``)}\n\`\`\``,
  link: (content, url, isBare) =>
    isBare ? `<${address(url)}>` : `<${address(url)}|${content.replaceAll("|", "¦").replaceAll("\n", " ")}>`,
  heading: (content) => marked("*", content, { before: "", after: "" }),
  marker: Markdown.bullet,
  indent: "    ",
  // a quote cannot be in another one
  quote: (content, depth) => depth === 0 ? Markdown.prefixed(content, "> ") : content,
  rule: "———"
}

export const render = (markdown: string): string => Markdown.render(markdown, form)

/** Parts whose form has at most this many characters. */
export const split = (markdown: string, max: number): ReadonlyArray<string> =>
  Markdown.split(markdown, max, (part) => render(part).length)

const named = (kind: string, name: string | undefined, id: string): string =>
  name === undefined || name === "" ? `<${kind}${id}>` : `${kind}${name}`

/** What stands between `<` and `>`. */
const referenced = (content: string): string => {
  const [target = "", ...labels] = content.split("|")
  const label = labels.length === 0 ? undefined : labels.join("|")
  if (target.startsWith("@")) return named("@", label, target.slice(1))
  if (target.startsWith("#")) return named("#", label, target.slice(1))
  if (target.startsWith("!")) return label ?? `@${target.slice(1).split("^")[0]}`
  return label === undefined || label === target || target === `mailto:${label}`
    ? label ?? target
    : `[${label}](${target})`
}

/** A message of a person as text, without the mention of the agent. Other people stay as `<@U1>`. */
export const received = (text: string, self: string | undefined): string => {
  // it is tried once for each run of spaces, because a person can send many
  const mention = new RegExp(`(?<![ \\t])[ \\t]*(?:<@${self}(?:\\|[^<>]*)?>[ \\t]*)+`, "g")
  const own = self === undefined ? text : text.replaceAll(mention, " ")
  return unescaped(own.replaceAll(/<([^<>\n]{1,3000})>/g, (_, content: string) => referenced(content))).trim()
}

/** The ids of people in a text, not more than a few of them. */
export const mentioned = (text: string): ReadonlyArray<string> =>
  [...new Set(Array.from(text.matchAll(/<@([UW][A-Z0-9]{1,30})>/g), ([, id = ""]) => id))].slice(0, 20)

export const withNames = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replaceAll(/<@([UW][A-Z0-9]{1,30})>/g, (mention, id: string) => {
    const name = names.get(id)
    return name === undefined ? mention : `@${name}`
  })
