// The text of an agent as WhatsApp formats it: https://faq.whatsapp.com/539178204879377
import * as Markdown from "../Markdown.ts"

export const maxText = 4096

const marked = (mark: string, content: string): string =>
  content.split("\n").map((line) => Markdown.wrapped(line, mark)).join("\n")

const form: Markdown.Form = {
  ...Markdown.plain,
  strong: (content) => marked("*", content),
  emphasis: (content) => marked("_", content),
  strike: (content) => marked("~", content),
  code: (text) => text.includes("`") ? text : `\`${text}\``,
  codeBlock: (text) => `\`\`\`\n${text.replaceAll("```", "``\u200b`")}\n\`\`\``,
  heading: (content) => marked("*", content),
  marker: ({ isChecked, number, ...item }) =>
    isChecked === undefined && number === undefined ? "- " : Markdown.bullet({ ...item, isChecked, number })
}

export const render = (markdown: string): string => Markdown.render(markdown, form)

export const split = (markdown: string): ReadonlyArray<string> =>
  Markdown.split(markdown, maxText, (part) => render(part).length)
