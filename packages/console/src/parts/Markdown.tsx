// Text of models, as Markdown. It is untrusted: what remains has no scripts, no styles, and loads nothing.
import { markdownBlocks } from "@svc-runtime/domain/markdownBlocks"
import DOMPurify from "dompurify"
import { Marked } from "marked"
import { memo } from "preact/compat"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" })[character] ?? "")

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // an image would be a request to another host
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text === "" ? href : text)}</a>`,
    html: ({ text }) => escaped(text),
    checkbox: ({ checked }) => checked ? "☑ " : "☐ "
  }
})

const purifier = DOMPurify()

purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return
  if (!/^(https?:|mailto:)/i.test(node.getAttribute("href") ?? "")) node.removeAttribute("href")
  node.setAttribute("target", "_blank")
  node.setAttribute("rel", "noopener noreferrer")
})

const allowed = {
  ALLOWED_TAGS: "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre strong table tbody td th thead tr ul"
    .split(" "),
  ALLOWED_ATTR: ["href", "align", "start"],
  RETURN_DOM_FRAGMENT: true as const
}

/** A longer block is one endless line, which the parser may read for seconds. */
const maxBlockLength = 50_000

/** Nothing, if the parser cannot read the text: it fails on deep nesting. */
const parsed = (text: string): string | undefined => {
  if (text.length > maxBlockLength) return undefined
  try {
    return marked.parse(text, { async: false })
  } catch {
    return undefined
  }
}

const Block = memo(({ text }: { readonly text: string }) => {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const html = parsed(text)
    place.current?.classList.toggle("plain", html === undefined)
    place.current?.replaceChildren(html === undefined ? text : purifier.sanitize(html, allowed))
  }, [text])
  return <div class="block" dir="auto" ref={place} />
})

const initialLength = 100_000

export const Markdown = ({ text }: { readonly text: string }) => {
  const [shown, setShown] = useState(initialLength)
  const isCut = text.length > shown
  return (
    <div class="markdown">
      {markdownBlocks(isCut ? text.slice(0, shown) : text).map((block, index) => <Block key={index} text={block} />)}
      {isCut
        ? (
          <button type="button" onClick={() => setShown(shown + 5 * initialLength)}>
            Show more ({Math.round((text.length - shown) / 1024)} KB)
          </button>
        )
        : null}
    </div>
  )
}
