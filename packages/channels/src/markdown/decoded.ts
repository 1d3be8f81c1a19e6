// The characters that references such as `&amp;` stand for.
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: "\"",
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  rarr: "→",
  copy: "©",
  euro: "€"
}

const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi

const character = (point: number): string =>
  point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? "\ufffd" : String.fromCodePoint(point)

/** A text of Markdown without character references. Rare names stay as they are. */
export const decoded = (text: string): string =>
  text.replace(reference, (all: string, decimal?: string, hex?: string, name?: string) =>
    decimal !== undefined
      ? character(Number(decimal))
      : hex !== undefined
      ? character(Number.parseInt(hex, 16))
      : named[name ?? ""] ?? all)
