// The chunkers that callers can choose. None of them needs a model or a parser of source code.

export interface ChunkerInfo {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly metadata: { readonly chunk_size?: number; readonly chunk_overlap?: number }
}

const sized = { chunk_size: 5000, chunk_overlap: 0 }

export const chunkers = {
  DocumentChunker: {
    key: "DocumentChunker",
    name: "Document",
    description: "Keeps paragraphs together, and splits long ones at the ends of sentences",
    metadata: sized
  },
  RecursiveChunker: {
    key: "RecursiveChunker",
    name: "Recursive",
    description: "Cuts at the last line end that fits, else at the last full stop",
    metadata: sized
  },
  FixedSizeChunker: {
    key: "FixedSizeChunker",
    name: "Fixed size",
    description: "Cuts at a number of characters, between words",
    metadata: sized
  },
  MarkdownChunker: {
    key: "MarkdownChunker",
    name: "Markdown",
    description: "Keeps sections under their headings",
    metadata: sized
  },
  RowChunker: { key: "RowChunker", name: "Row", description: "Makes each line a chunk", metadata: {} }
} satisfies Readonly<Record<string, ChunkerInfo>>

export type ChunkerKey = keyof typeof chunkers
