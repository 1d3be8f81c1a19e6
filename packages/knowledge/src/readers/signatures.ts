// The first bytes of files that are not text.

export interface Signature {
  readonly format: "archive" | "compound" | "image" | "other" | "pdf"
  /** With its article. */
  readonly title: string
}

const table: ReadonlyArray<readonly [Signature["format"], title: string, start: string]> = [
  ["pdf", "a PDF document", "%PDF-"],
  ["archive", "a ZIP archive or an Office document", "PK\x03\x04"],
  ["archive", "an empty ZIP archive", "PK\x05\x06"],
  ["compound", "an Office document of the format before 2007, or an encrypted one", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
  ["image", "a PNG image", "\x89PNG\r\n\x1a\n"],
  ["image", "a JPEG image", "\xff\xd8\xff"],
  ["image", "a GIF image", "GIF8"],
  ["other", "a gzip archive", "\x1f\x8b\x08"],
  ["other", "a 7z archive", "7z\xbc\xaf\x27\x1c"],
  ["other", "a RAR archive", "Rar!\x1a\x07"],
  ["other", "a program", "\x7fELF"],
  ["other", "a Rich Text document", "{\\rtf"]
]

/** Text that an archive or an Office document before 2007 contains, and the media type that it tells. */
const inside: ReadonlyArray<readonly [text: string, encoding: "latin1" | "utf16le", mediaType: string]> = [
  ["mimetypeapplication/epub+zip", "latin1", "application/epub+zip"],
  ["mimetypeapplication/vnd.oasis.opendocument.text", "latin1", "application/vnd.oasis.opendocument.text"],
  [
    "mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
    "latin1",
    "application/vnd.oasis.opendocument.spreadsheet"
  ],
  [
    "mimetypeapplication/vnd.oasis.opendocument.presentation",
    "latin1",
    "application/vnd.oasis.opendocument.presentation"
  ],
  ["word/document.xml", "latin1", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xl/workbook.", "latin1", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["ppt/presentation.xml", "latin1", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["Workbook", "utf16le", "application/vnd.ms-excel"],
  ["WordDocument", "utf16le", "application/msword"],
  ["PowerPoint Document", "utf16le", "application/vnd.ms-powerpoint"]
]

const starts: ReadonlyArray<readonly [start: RegExp, mediaType: string]> = [
  [/^%PDF-/, "application/pdf"],
  [/^\{\\rtf/, "application/rtf"],
  [/^(?:\xef\xbb\xbf)?\s*(?:<!doctype html|<html)/i, "text/html"],
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"]
]

/** The media type that the bytes of a file tell. Undefined: a text, or something unknown. */
export const mediaTypeOf = (bytes: Uint8Array): string | undefined => {
  const format = signatureOf(bytes)?.format
  if (format === "archive" || format === "compound") {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return inside.find(([text, encoding]) =>
      (encoding === "utf16le") === (format === "compound") && buffer.includes(text, 0, encoding)
    )?.[2]
  }
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1")
  return starts.find(([expected]) => expected.test(start))?.[1]
}

export const signatureOf = (bytes: Uint8Array): Signature | undefined => {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1")
  const found = table.find(([, , expected]) => start.startsWith(expected))
  return found === undefined ? undefined : { format: found[0], title: found[1] }
}
