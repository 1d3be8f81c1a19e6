// Finds the titles of tests in a source file. A title that is not written as a string at the test itself is skipped.

export interface TestTitle {
  readonly line: number
  /** The title as it is written, between its quotes. */
  readonly text: string
}

const testName = /(?<![\w.])it(?:\.\w+)*(?=[(<])/g
const literal = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/y
const skipped = /\/\/[^\n]*|\/\*[^]*?\*\/|=>/y

const matchAt = (pattern: RegExp, source: string, index: number): string | undefined => {
  pattern.lastIndex = index
  return pattern.exec(source)?.[0]
}

const afterSpace = (source: string, index: number): number => {
  const offset = source.slice(index).search(/\S/)
  return offset === -1 ? source.length : index + offset
}

/** The index after the bracket that closes the one before `index`. */
const afterBracket = (source: string, index: number, [open, closing]: readonly [open: string, closing: string]) => {
  let depth = 1
  let at = index
  while (depth > 0 && at < source.length) {
    const passage = matchAt(literal, source, at) ?? matchAt(skipped, source, at)
    if (passage === undefined) {
      if (open.includes(source.charAt(at))) depth++
      if (closing.includes(source.charAt(at))) depth--
    }
    at += passage?.length ?? 1
  }
  return at
}

/** `it("title", ...)`, or `it.each(table)("title", ...)`: the title is the first argument of the last call. */
const titleAt = (source: string, start: number): readonly [index: number, literal: string] | undefined => {
  if (source[start] === "<") return titleAt(source, afterBracket(source, start + 1, ["<", ">"]))
  if (source[start] !== "(") return undefined
  const index = afterSpace(source, start + 1)
  const found = matchAt(literal, source, index)
  return found === undefined ? titleAt(source, afterBracket(source, start + 1, ["([{", ")]}"])) : [index, found]
}

export const testTitles = (source: string): ReadonlyArray<TestTitle> =>
  [...source.matchAll(testName)].flatMap((name) => {
    const title = titleAt(source, name.index + name[0].length)
    if (title === undefined) return []
    return [{ line: source.slice(0, title[0]).split("\n").length, text: title[1].slice(1, -1) }]
  })
