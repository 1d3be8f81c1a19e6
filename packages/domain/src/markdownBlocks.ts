// Cuts Markdown into blocks that can be read alone, so that a text that grows is parsed again only at its end.
const fence = /^ {0,3}(`{3,}|~{3,})/

const isFollowing = (line: string): boolean => /^( {2,}|\t|[-*+] |\d{1,9}[.)] |> )/.test(line)

/** A text without empty lines is cut where a block is longer than `maxLength`. */
export const markdownBlocks = (text: string, maxLength = 20_000): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let block: Array<string> = []
  let length = 0
  let open: string | undefined
  /** The line that has opened the fence. */
  let opening = ""
  let isGap = false
  const end = () => {
    if (block.length > 0) blocks.push(block.join("\n"))
    block = []
    length = 0
  }
  for (const line of text.split("\n")) {
    const mark = fence.exec(line)?.[1]
    if (isGap && open === undefined && line.trim() !== "" && !isFollowing(line)) end()
    isGap = open === undefined && line.trim() === ""
    if (mark !== undefined) {
      if (open === undefined) {
        open = mark
        opening = line
      } else if (mark.startsWith(open) && line.trim() === mark) open = undefined
    }
    block.push(line)
    length += line.length
    if (length <= maxLength) continue
    // each part of a long code is code
    if (open !== undefined) block.push(open)
    end()
    if (open !== undefined) block.push(opening)
  }
  end()
  return blocks
}
