// The links and anchors of the pages, for the site and for the copies of the pages that leave the repository.
import { posix } from "node:path"
import { sectionsOf } from "../../packages/cli/src/docs/Sections.ts"
import { repository } from "../publishing.ts"

/** The anchors of the headings of a page. */
export const anchorsIn = (text: string): ReadonlySet<string> => new Set(sectionsOf(text).map(({ anchor }) => anchor))

/** A link of a page to a file that is not beside it leads to the repository. Pages are beside each other. */
export const targetOf = (page: string, href: string, areBeside = true): string => {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [, path = "", hash = ""] = /^([^#]*)(#.*)?$/.exec(href) ?? []
  const target = posix.join("docs", posix.dirname(page), path)
  if (areBeside && /^docs\/.*\.md$/.test(target)) return href
  const kind = target.endsWith(".png") ? "raw" : /\.\w+$|\/LICENSE$/.test(target) ? "blob" : "tree"
  return `${repository}/${kind}/main/${target.replace(/\/$/, "")}${hash}`
}

/** The text of a page that is read outside of the repository: with the other pages, or alone. */
export const mended = (page: string, text: string, areBeside = true): string =>
  text.replaceAll(/(?<=\]\()[^)\s]+(?=\))/g, (href) => targetOf(page, href, areBeside))
