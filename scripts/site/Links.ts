// The links and anchors of the pages, for the site and for the copies of the pages that leave the repository.
import { posix } from "node:path"
import { repository } from "../publishing.ts"

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading.trim().toLowerCase().replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, "")
    .replaceAll(" ", "-")

/** The anchors of the headings of a page. */
export const anchorsIn = (text: string): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  const headings = text.replaceAll(/^ *(```|~~~)[^]*?^ *\1/gm, "").matchAll(/^#{1,6} (.+)$/gm)
  return new Set(Array.from(headings, ([, heading = ""]) => {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"))
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }))
}

/** A link of a page to another page stays. One to another file leads to the repository. */
export const targetOf = (page: string, href: string): string => {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [, path = "", hash = ""] = /^([^#]*)(#.*)?$/.exec(href) ?? []
  const target = posix.join("docs", posix.dirname(page), path)
  if (/^docs\/.*\.md$/.test(target)) return href
  const kind = target.endsWith(".png") ? "raw" : /\.\w+$|\/LICENSE$/.test(target) ? "blob" : "tree"
  return `${repository}/${kind}/main/${target.replace(/\/$/, "")}${hash}`
}

/** The text of a page that is read outside of the repository. */
export const mended = (page: string, text: string): string =>
  text.replaceAll(/(?<=\]\()[^)\s]+(?=\))/g, (href) => targetOf(page, href))
