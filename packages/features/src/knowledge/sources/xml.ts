// Reads the flat XML that services of objects respond with: elements without attributes.
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'" }

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name)] ?? entity
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })

/** The most entries of one page that are read: services that are asked for a thousand can give more. */
export const maxEntries = 10_000

/** What is in each of the first elements with this name, not decoded. */
export const all = (xml: string, tag: string, maximum: number): ReadonlyArray<string> =>
  xml.split(`<${tag}>`, maximum + 1).slice(1).map((rest) => rest.slice(0, Math.max(rest.indexOf(`</${tag}>`), 0)))

/** The text of the first element with this name. */
export const textOf = (xml: string, tag: string): string | undefined => {
  const [first] = all(xml, tag, 1)
  return first === undefined ? undefined : decode(first)
}

export const sizeOf = (text: string | undefined): number | null => {
  const size = Number(text ?? "")
  return text !== undefined && text !== "" && Number.isSafeInteger(size) && size >= 0 ? size : null
}
