// The pages that an llms.txt lists, as links of Markdown.

/** No part can begin inside another one, so the search takes linear time. */
const link = /\[[^[\]\n]{1,300}\]\(([^()[\s]{1,2048})\)/g

/** Above every limit of pages. */
const maxLinks = 1000

/** Each page once, in the order of the file. */
export const listedPages = (text: string, base: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [, target = ""] of [...text.matchAll(link)].slice(0, maxLinks)) {
    const url = URL.parse(target, base)
    if (url === null || !/^https?:$/.test(url.protocol)) continue
    url.hash = ""
    found.add(url.href)
  }
  return [...found]
}
