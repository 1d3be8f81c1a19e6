// Markdown as GitHub reads it: https://docs.github.com/get-started/writing-on-github
import * as Markdown from "../Markdown.ts"

/** GitHub takes 65,536 characters, of which some are for the sign of the message. */
export const maxText = 65_000

/** A character without width, so that the text of an agent mentions no people, teams or other issues. */
const gap = "\u200b"

const escape = (text: string): string =>
  text.replaceAll(/[\\`*_~|<>[\]#]/g, "\\$&").replaceAll("@", `@${gap}`).replaceAll(/\bGH-(?=\d)/gi, `GH-${gap}`)

const language = (name: string): string => /^[\w+#.-]{1,30}$/.test(name) ? name : ""

/** A mark that is longer than each one in the text. */
const fence = (text: string, least: number): string => {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  return "`".repeat(Math.max(least, longest + 1))
}

const code = (text: string): string => {
  const mark = fence(text, 1)
  return mark === "`" ? `\`${text}\`` : `${mark} ${text} ${mark}`
}

const form: Markdown.Form = {
  ...Markdown.plain,
  text: escape,
  strong: (content) => `**${content}**`,
  emphasis: (content) => `*${content}*`,
  strike: (content) => `~~${content}~~`,
  code,
  codeBlock: (text, name) => {
    const mark = fence(text, 3)
    return `${mark}${language(name)}\n${text}\n${mark}`
  },
  link: (content, url, isBare) => isBare ? `<${url}>` : `[${content}](<${url}>)`,
  heading: (content, depth) => `${"#".repeat(Math.min(depth, 6))} ${content}`,
  marker: ({ isChecked, number }) =>
    `${number === undefined ? "- " : `${number}. `}${isChecked === undefined ? "" : isChecked ? "[x] " : "[ ] "}`,
  indent: "    ",
  quote: (content) => Markdown.prefixed(content, "> "),
  rule: "---"
}

export const render = (markdown: string): string => Markdown.render(markdown, form)

export const split = (markdown: string): ReadonlyArray<string> =>
  Markdown.split(markdown, maxText, (part) => render(part).length)
