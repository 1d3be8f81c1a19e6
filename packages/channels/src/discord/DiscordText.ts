// Markdown as Discord reads it: https://docs.discord.com/developers/reference#message-formatting
import * as Markdown from "../Markdown.ts"

export const maxText = 2000

/** Also what would mention people or channels: `<@1>` and `<#1>`. */
const escape = (text: string): string => text.replaceAll(/[\\`*_~|<>#[\]]/g, "\\$&")

const language = (name: string): string => /^[\w+#.-]{1,30}$/.test(name) ? name : ""

/** A text in a code has no escapes: a mark in it gets a character without width. */
const codeOf = (text: string, mark: string): string => text.replaceAll(mark, mark.split("").join("\u200b"))

const form: Markdown.Form = {
  ...Markdown.plain,
  text: escape,
  strong: (content) => `**${content}**`,
  emphasis: (content) => `*${content}*`,
  strike: (content) => `~~${content}~~`,
  code: (text) => text.includes("`") ? `\`\` ${codeOf(text, "``")} \`\`` : `\`${text}\``,
  codeBlock: (text, name) => `\`\`\`${language(name)}\n${codeOf(text, "```")}\n\`\`\``,
  link: (content, url, isBare) => isBare ? url : `[${content}](${url})`,
  heading: (content, depth) => `${"#".repeat(Math.min(depth, 3))} ${content}`,
  quote: (content) => Markdown.prefixed(content, "> "),
  rule: "———"
}

export const content = (markdown: string): string => Markdown.render(markdown, form)

export const split = (markdown: string): ReadonlyArray<string> =>
  Markdown.split(markdown, maxText, (part) => content(part).length)
