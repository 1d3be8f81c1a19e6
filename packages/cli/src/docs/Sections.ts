// The sections of a page of Markdown: a heading and the text below it. Also used for the site of the documents.

export interface Section {
  /** 1 to 6; 0 is the text before the first heading. */
  readonly level: number
  /** Without marks of Markdown. */
  readonly heading: string
  readonly anchor: string
  /** With its heading. */
  readonly text: string
}

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading.trim().toLowerCase().replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, "")
    .replaceAll(" ", "-")

/** A text without the marks of links, code and emphasis. */
export const plain = (text: string): string =>
  text.replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1").replaceAll(/\*\*|`/g, "")

/** Lines in blocks of code are no headings. Equal headings are counted, as GitHub counts them. */
export const sectionsOf = (page: string): ReadonlyArray<Section> => {
  const counts = new Map<string, number>()
  const sections: Array<{ level: number; heading: string; anchor: string; lines: Array<string> }> = [
    { level: 0, heading: "", anchor: "", lines: [] }
  ]
  let fence: string | undefined
  for (const line of page.split("\n")) {
    const [, mark] = /^\s*(```|~~~)/.exec(line) ?? []
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined
    const [, marks = "", given = ""] = fence === undefined ? /^(#{1,6}) (.+)$/.exec(line) ?? [] : []
    if (marks === "") {
      sections.at(-1)?.lines.push(line)
      continue
    }
    const heading = plain(given)
    const anchor = anchorOf(heading)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    sections.push({
      level: marks.length,
      heading,
      anchor: count === 0 ? anchor : `${anchor}-${count}`,
      lines: [line]
    })
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: lines.join("\n") }))
    .filter(({ level, text }) => level > 0 || text.trim() !== "")
}
