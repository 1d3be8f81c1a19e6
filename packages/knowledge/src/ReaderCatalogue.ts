// The readers of this package, as callers see them, and which one reads a source.
import type { ChunkerKey } from "./ChunkerCatalogue.ts"
import type { Source } from "./Document.ts"
import { mediaTypeOf as mediaTypeOfBytes } from "./readers/signatures.ts"

export interface ReaderInfo {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Extensions of file names. */
  readonly types: ReadonlyArray<string>
  /** The first one is used when none is chosen. A source of a reader without chunkers has a chunk for each document. */
  readonly chunkers: ReadonlyArray<ChunkerKey>
}

const rows: ReadonlyArray<ChunkerKey> = ["RowChunker", "FixedSizeChunker", "DocumentChunker", "RecursiveChunker"]
const plain: ReadonlyArray<ChunkerKey> = ["FixedSizeChunker", "DocumentChunker", "RecursiveChunker"]
const marked: ReadonlyArray<ChunkerKey> = [
  "MarkdownChunker",
  "DocumentChunker",
  "RecursiveChunker",
  "FixedSizeChunker"
]

const pages: ReadonlyArray<ChunkerKey> = ["DocumentChunker", "FixedSizeChunker", "RecursiveChunker"]

/** Readers of files. */
const fileReaders = {
  pdf: {
    id: "pdf",
    name: "PdfReader",
    description: "Reads PDF documents, a document for each page",
    types: [".pdf"],
    chunkers: pages
  },
  csv: {
    id: "csv",
    name: "CsvReader",
    description: "Reads tables of comma-separated values, a line for each row with the names of its columns",
    types: [".csv", ".tsv"],
    chunkers: rows
  },
  field_labeled_csv: {
    id: "field_labeled_csv",
    name: "FieldLabeledCsvReader",
    description: "Reads each row of comma-separated values as a document that names its fields",
    types: [".csv"],
    chunkers: []
  },
  excel: {
    id: "excel",
    name: "ExcelReader",
    description: "Reads workbooks, a document for each sheet with a line for each row",
    types: [".xlsx", ".xls", ".xlsm", ".ods"],
    chunkers: rows
  },
  docx: {
    id: "docx",
    name: "DocxReader",
    description: "Reads Word documents as Markdown",
    // documents of .doc are refused with advice
    types: [".docx", ".doc"],
    chunkers: pages
  },
  pptx: {
    id: "pptx",
    name: "PptxReader",
    description: "Reads presentations, a document for each slide",
    types: [".pptx", ".ppt"],
    chunkers: pages
  },
  opendocument: {
    id: "opendocument",
    name: "OpenDocumentReader",
    description: "Reads texts of OpenDocument as Markdown, and presentations with a document for each slide",
    types: [".odt", ".odp"],
    chunkers: pages
  },
  rtf: { id: "rtf", name: "RtfReader", description: "Reads Rich Text", types: [".rtf"], chunkers: plain },
  epub: {
    id: "epub",
    name: "EpubReader",
    description: "Reads books as Markdown, a document for each chapter",
    types: [".epub"],
    chunkers: marked
  },
  email: {
    id: "email",
    name: "EmailReader",
    description: "Reads a mail, and its attachments as documents of their own",
    types: [".eml"],
    chunkers: pages
  },
  html: {
    id: "html",
    name: "HtmlReader",
    description: "Reads the article of a web page as Markdown",
    types: [".html", ".htm", ".xhtml"],
    chunkers: marked
  },
  json: {
    id: "json",
    name: "JsonReader",
    description: "Reads JSON, a document for each item of an array",
    types: [".json"],
    chunkers: plain
  },
  markdown: {
    id: "markdown",
    name: "MarkdownReader",
    description: "Reads Markdown",
    types: [".md", ".markdown"],
    chunkers: marked
  },
  text: { id: "text", name: "TextReader", description: "Reads plain text", types: [".txt"], chunkers: plain }
} as const satisfies Readonly<Record<string, ReaderInfo>>

/** Readers of a URL and of the pages that it links to. */
const urlReaders = {
  website: {
    id: "website",
    name: "WebsiteReader",
    description: "Reads a page and pages of its site that it links to",
    types: ["url"],
    chunkers: ["DocumentChunker", "RecursiveChunker", "FixedSizeChunker"]
  },
  llms_txt: {
    id: "llms_txt",
    name: "LLMsTxtReader",
    description: "Reads an llms.txt and the pages that it lists",
    types: ["url"],
    chunkers: ["FixedSizeChunker", "DocumentChunker", "RecursiveChunker"]
  }
} as const satisfies Readonly<Record<string, ReaderInfo>>

export const readers = { ...fileReaders, ...urlReaders }

export type ReaderId = keyof typeof readers
export type FileReaderId = keyof typeof fileReaders

const isReader = (id: string): id is ReaderId => Object.hasOwn(readers, id)
const isFileReader = (id: string): id is FileReaderId => Object.hasOwn(fileReaders, id)

/** By extension. The first reader that lists one has it, other than readers that are chosen by their id only. */
const byExtension = new Map<string, FileReaderId>(
  (Object.keys(fileReaders) as ReadonlyArray<FileReaderId>).toReversed()
    .filter((id) => id !== "field_labeled_csv")
    .flatMap((id) => fileReaders[id].types.map((type) => [type, id] as const))
)

const byMediaType: ReadonlyMap<string, FileReaderId> = new Map<string, FileReaderId>([
  ["application/pdf", "pdf"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "excel"],
  ["application/vnd.ms-excel", "excel"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/msword", "docx"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"],
  ["application/vnd.ms-powerpoint", "pptx"],
  ["application/vnd.ms-excel.sheet.macroenabled.12", "excel"],
  ["application/vnd.oasis.opendocument.spreadsheet", "excel"],
  ["application/vnd.oasis.opendocument.text", "opendocument"],
  ["application/vnd.oasis.opendocument.presentation", "opendocument"],
  ["application/rtf", "rtf"],
  ["text/rtf", "rtf"],
  ["application/epub+zip", "epub"],
  ["message/rfc822", "email"],
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "csv"],
  ["application/json", "json"],
  ["text/markdown", "markdown"],
  ["text/plain", "text"]
])

/** The ids of readers by type, for callers that choose one. */
export const readersForType: Readonly<Record<string, ReadonlyArray<string>>> = Object.values(readers)
  .flatMap(({ id, types }) => types.map((type) => [type, id] as const))
  .reduce<Record<string, ReadonlyArray<string>>>(
    (found, [type, id]) => Object.assign(found, { [type]: [...(found[type] ?? []), id] }),
    {}
  )

/** `Pdf-Reader` is `pdf`. */
export const normalizeReaderId = (id: string): string =>
  id.trim().toLowerCase().replace(/[- ]/g, "_").replace(/_?reader$/, "")

export const extensionOf = (name: string): string | undefined =>
  /[^/\\](\.[A-Za-z][A-Za-z0-9]{0,15})$/.exec(name.trim())?.[1]?.toLowerCase()

const mediaTypeOf = (type: string): string => type.replace(/;.*/s, "").trim().toLowerCase()

/** The reader with an id in any spelling; undefined when there is none. */
export const findReader = (id: string): ReaderInfo | undefined => {
  const normalized = normalizeReaderId(id)
  return isReader(normalized) ? readers[normalized] : undefined
}

type FileReader = ReaderInfo & { readonly id: FileReaderId }

/** What programs send for files that they do not know. */
const unknownTypes = ["", "application/octet-stream", "binary/octet-stream"]

const extensions = new Map([
  [".txt", "text/plain"],
  [".tsv", "text/tab-separated-values"],
  [".xls", "application/vnd.ms-excel"],
  [".xlsm", "application/vnd.ms-excel.sheet.macroenabled.12"],
  [".ods", "application/vnd.oasis.opendocument.spreadsheet"],
  [".odp", "application/vnd.oasis.opendocument.presentation"],
  [".doc", "application/msword"],
  [".ppt", "application/vnd.ms-powerpoint"],
  [".xhtml", "application/xhtml+xml"]
])

/** The media type of a file: the given one, else that of its bytes or its extension. Undefined: nothing tells it. */
export const detectMediaType = (
  { bytes, name, type }: { readonly bytes: Uint8Array; readonly name: string; readonly type: string }
): string | undefined => {
  if (!unknownTypes.includes(mediaTypeOf(type))) return type
  const extension = extensionOf(name) ?? ""
  const reader = byExtension.get(extension)
  return mediaTypeOfBytes(bytes) ?? extensions.get(extension) ??
    [...byMediaType].find(([, id]) => id === reader)?.[0]
}

/** The named reader, else that of the extension, of the media type, of the bytes, else the one of plain text. */
export const chooseReader = (
  { bytes, name, reader_id, type }: Pick<Source, "name" | "reader_id" | "type"> & {
    readonly bytes?: Uint8Array | undefined
  }
): FileReader => {
  const named = normalizeReaderId(reader_id ?? "")
  if (isFileReader(named)) return fileReaders[named]
  const extension = name === undefined ? undefined : extensionOf(name)
  const mediaType = type === undefined ? undefined : mediaTypeOf(type)
  const found = (extension === undefined ? undefined : byExtension.get(extension)) ??
    (mediaType === undefined ? undefined : byMediaType.get(mediaType))
  if (found !== undefined) return fileReaders[found]
  if (mediaType?.endsWith("+json") === true) return fileReaders.json
  return fileReaders[byMediaType.get(bytes === undefined ? "" : mediaTypeOfBytes(bytes) ?? "") ?? "text"]
}

/** The named reader, else that of an llms.txt or of the extension, else the one of websites. */
export const chooseUrlReader = (
  { reader_id, url }: { readonly url: string; readonly reader_id?: string | undefined }
): ReaderInfo & { readonly id: ReaderId } => {
  const named = normalizeReaderId(reader_id ?? "")
  if (isReader(named)) return readers[named]
  const path = URL.parse(url)?.pathname ?? "/"
  if (path.endsWith("/llms.txt")) return readers.llms_txt
  return extensionOf(path) === undefined ? readers.website : chooseReader({ name: path, type: "text/html" })
}
