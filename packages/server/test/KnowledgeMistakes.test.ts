// Typical mistakes of authors of knowledge bases, readers and chunkers.
import { describe } from "@effect/vitest"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const { Chunker, GcsSource, GitHubSource, Knowledge, Reader, S3Source } = untyped

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "knowledge chunker",
    () => Knowledge.make({ name: "k", chunker: "RecursivChunker" }),
    "Knowledge 'k': there is no chunker 'RecursivChunker'. Did you mean 'RecursiveChunker'?"
  ],
  [
    "chunker misspelt",
    () => Chunker.make({ key: "A", chunk: () => [], size: 5 }),
    "Chunker 'A': there is no option 'size'. Its options are key, name, description, chunk"
  ],
  [
    "chunker chunk",
    () => Chunker.make({ key: "A" }),
    "Chunker 'A' has no chunk. Give it the function that cuts a document"
  ],
  [
    "chunker text",
    () => Chunker.make("A"),
    "Chunker takes an object with options, and was given the text 'A'. Write an object, such as { key: … }"
  ],
  [
    "reader misspelt",
    () => Reader.make({ id: "a", types: [".a"], read: () => [], chunker: "x" }),
    "Reader 'a': there is no option 'chunker'. Did you mean 'chunkers'?"
  ],
  [
    "reader types",
    () => Reader.make({ id: "a", read: () => [] }),
    "Reader 'a': types must be extensions (.eml), media types (message/rfc822) or names of files"
  ],
  [
    "source without options",
    () => S3Source.make(),
    "S3Source takes an object with options, and was given undefined. Write an object, such as { id: … }"
  ],
  [
    "source of a name",
    () => GitHubSource.make("owner/repo"),
    "GitHubSource takes an object with options, and was given the text 'owner/repo'. Write an object, such as { id: … }"
  ],
  [
    "source without its secret",
    () => S3Source.make({ id: "s", bucket: "docs", accessKeyId: "k", secretAccessKey: undefined }),
    "S3Source 's': there is no secretAccessKey. Is the setting set that it comes from?"
  ],
  [
    "source misspelt",
    () => GcsSource.make({ id: "g", buckett: "docs" }),
    "GcsSource 'g': there is no option 'buckett'. Did you mean 'bucket'?"
  ],
  [
    "reader chunkers",
    () =>
      Knowledge.make({
        name: "k",
        readers: [Reader.make({ id: "a", types: [".a"], read: () => [], chunkers: ["B"] })]
      }),
    "Knowledge 'k': reader 'a': there is no chunker 'B'. The chunkers are " +
    "DocumentChunker, RecursiveChunker, FixedSizeChunker, MarkdownChunker, RowChunker"
  ]
]

describe("a mistake in the options of a knowledge base", () => {
  areRefused(mistakes)
})
