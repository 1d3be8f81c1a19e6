// What the pages have beyond plain Markdown, in forms that GitHub shows too: drawings of mermaid, tabs, and links to
// files that are not pages.
import { renderMermaidSVG } from "beautiful-mermaid"
import type { MarkdownRenderer } from "vitepress"
import { targetOf } from "../Links.ts"

/** The colours are those of the page. The style of a drawing is in theme/style.css, without a font from elsewhere. */
const colours = { bg: "var(--vp-c-bg)", fg: "var(--vp-c-text-1)", padding: 16, transparent: true }

/** Wider than the page, it shrinks as long as its text can be read, and is scrolled then. */
const sizeOf = (width: string): string => {
  const natural = Math.round(Number(width))
  return `style="max-width:${natural}px;min-width:${
    Math.round(natural * 0.75)
  }px;--bg:${colours.bg};--fg:${colours.fg}"`
}

const drawing = (text: string): string =>
  renderMermaidSVG(text, colours).replace(/<style>[^]*?<\/style>/, "")
    .replace(/ width="([\d.]+)" height="[\d.]+" style="[^"]*"/, (_, width) => ` ${sizeOf(width)}`)

/** Drawings are made while the site is built, so that a page needs no program for them. */
export const diagrams = (md: MarkdownRenderer): void => {
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, options, env, self) =>
    tokens[index].info.trim() === "mermaid"
      ? `<div class="diagram" v-pre>${drawing(tokens[index].content)}</div>\n`
      : fence(tokens, index, options, env, self)
}

/** Braces in a text of code are text, and nothing of the site. */
export const plainCode = (md: MarkdownRenderer): void => {
  const { code_inline: inline } = md.renderer.rules
  md.renderer.rules.code_inline = (...given) => inline(...given).replace(/^<code(?! v-pre)/, "<code v-pre")
}

/** Blocks between `<!-- tabs -->` and `<!-- /tabs -->`, each after a paragraph that is its name in bold. */
export const tabs = (md: MarkdownRenderer): void => {
  md.core.ruler.after("block", "tabs", (state) => {
    const html = (content: string) => Object.assign(new state.Token("html_block", "", 0), { content })
    const comment = (text: string) => ({ content, type }) => type === "html_block" && content.trim() === text
    for (let from = 0, group = 0;; group++) {
      from = state.tokens.findIndex((token, index) => index >= from && comment("<!-- tabs -->")(token))
      if (from < 0) return
      const to = state.tokens.findIndex((token, index) => index > from && comment("<!-- /tabs -->")(token))
      if (to < 0) throw new Error(`${state.env.relativePath}: <!-- tabs --> has no <!-- /tabs -->`)
      const names: Array<string> = []
      const body: Array<object> = []
      for (let index = from + 1; index < to; index++) {
        const [, name] = /^\*\*([^*]+)\*\*$/.exec(state.tokens[index + 1]?.content ?? "") ?? []
        if (state.tokens[index].type === "paragraph_open" && name !== undefined) {
          if (names.length > 0) body.push(html("</div>\n"))
          body.push(html(`<div class="tab${names.length === 0 ? " active" : ""}">\n`))
          names.push(name)
          index += 2
        } else body.push(state.tokens[index])
      }
      const labels = names.map((name, index) => {
        const id = `tab-${group}-${index}`
        const input = `<input type="radio" name="tabs-${group}" id="${id}"${index === 0 ? " checked" : ""}>`
        return `${input}<label data-title="${name}" for="${id}">${name}</label>`
      })
      const head = html(`<div class="vp-code-group"><div class="tabs">${labels.join("")}</div><div class="blocks">\n`)
      state.tokens.splice(from, to - from + 1, head, ...body, html("</div></div></div>\n"))
    }
  })
}

/** Links to files of the repository lead to the repository, and those to a README to its folder. */
export const links = (md: MarkdownRenderer): void => {
  md.core.ruler.push("links", ({ env, tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== "link_open") continue
      // the path of the page as it is in docs
      const page = env.relativePath.replace(/(^|\/)index\.md$/, "$1README.md")
      token.attrSet("href", targetOf(page, token.attrGet("href")).replace(/(^|\/)README\.md(?=#|$)/, "$1index.md"))
    }
  })
}
