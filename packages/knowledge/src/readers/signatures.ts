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

export const signatureOf = (bytes: Uint8Array): Signature | undefined => {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1")
  const found = table.find(([, , expected]) => start.startsWith(expected))
  return found === undefined ? undefined : { format: found[0], title: found[1] }
}
