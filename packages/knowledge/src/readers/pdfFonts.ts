// Fonts of a PDF page that do not name their letters: their text is numbers of shapes.
import { Effect, Predicate } from "effect"

interface Page {
  readonly getOperatorList: () => Promise<unknown>
  readonly commonObjs: { readonly has: (name: string) => boolean; readonly get: (name: string) => unknown }
}

type Item = { readonly str: string; readonly fontName: string } | object

/** The library gives each code of such a font as its own letter. */
const isUnnamed = (font: unknown): boolean =>
  Predicate.hasProperty(font, "composite") && font.composite === true &&
  Predicate.hasProperty(font, "toUnicode") && Predicate.hasProperty(font.toUnicode, "firstChar")

/** Numbers of shapes are small: few of them are letters of words. Loading the fonts of a page takes long. */
const isSuspicious = (items: ReadonlyArray<Item>): boolean => {
  const text = items.map((item) => ("str" in item ? item.str : "")).join("").replace(/\s+/g, "")
  return text.length > 0 && 4 * (text.match(/\p{Ll}/gu)?.length ?? 0) < text.length
}

/** Fonts of the page by their names. `known` has what is known of the fonts of the document. */
export const unnamedFonts = Effect.fnUntraced(
  function*(page: Page, items: ReadonlyArray<Item>, known: Map<string, boolean>) {
    const names = [...new Set(items.flatMap((item) => ("fontName" in item ? [item.fontName] : [])))]
    if (names.some((name) => !known.has(name)) && isSuspicious(items)) {
      // the text of a page is there also if its drawing is damaged
      yield* Effect.ignore(Effect.tryPromise(() => page.getOperatorList()))
      for (const name of names) known.set(name, page.commonObjs.has(name) && isUnnamed(page.commonObjs.get(name)))
    }
    return new Set(names.filter((name) => known.get(name) === true))
  }
)
