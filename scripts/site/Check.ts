// The links of a built site: each leads to a page and an anchor that exist, and nothing is loaded from elsewhere.
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const attributes = /<(\w+)\b[^>]*?\s(?:href|src)="([^"]*)"/g

const decoded = (text: string): string => decodeURIComponent(text.replaceAll("&amp;", "&"))

/** One sentence for each link that leads nowhere. `base` is the path of the site on its host. */
export const problemsOf = (directory: string, base: string): ReadonlyArray<string> => {
  const files = globSync("**/*.html", { cwd: directory }).toSorted()
  const pages = new Map(files.map((file) => {
    const html = readFileSync(join(directory, file), "utf8")
    return [file, { html, ids: new Set(Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id = ""]) => decoded(id))) }]
  }))
  const fileOf = (path: string): string | undefined =>
    [path, `${path}.html`, join(path, "index.html")].find((file) =>
      file.endsWith(".html") ? pages.has(file) : /\.\w+$/.test(file) && existsSync(join(directory, file))
    )
  const problemOf = (page: string, element: string, target: string): string | undefined => {
    if (/^(data|mailto):/.test(target)) return undefined
    if (/^(https?:)?\/\//.test(target)) {
      return element === "a" ? undefined : `${page}: <${element}> loads ${target} from elsewhere`
    }
    const url = new URL(target, `http://site${base}${page.replace(/(index)?\.html$/, "")}`)
    if (!url.pathname.startsWith(base)) return `${page}: ${target} is outside of ${base}`
    const file = fileOf(decoded(url.pathname.slice(base.length)))
    if (file === undefined) return `${page}: there is no page ${target}`
    const anchor = decoded(url.hash.slice(1))
    return anchor === "" || pages.get(file)?.ids.has(anchor) === true
      ? undefined
      : `${page}: ${target} has no heading ${anchor}`
  }
  return [...pages].flatMap(([page, { html }]) =>
    Array.from(html.matchAll(attributes), ([, element = "", target = ""]) => problemOf(page, element, target))
      .filter((problem) => problem !== undefined)
  )
}

/** Requests of the styles to other hosts. */
export const strangersIn = (directory: string): ReadonlyArray<string> =>
  globSync("**/*.css", { cwd: directory }).flatMap((file) =>
    Array.from(
      readFileSync(join(directory, file), "utf8").matchAll(/(?:@import|url\()\s*["']?((?:https?:)?\/\/[^"')]+)/g),
      ([, url]) => `${file}: loads ${url} from elsewhere`
    )
  )
