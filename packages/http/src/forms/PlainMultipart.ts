// Reads the `multipart/form-data` bodies that most clients send: text fields with no other header than their name. The
// parser of the library builds tables for each body and costs more than the rest of the request's decoding.

const type = /^multipart\/form-data; ?boundary=([\w'+.~-]{1,70})$/
const head = "Content-Disposition: form-data; name=\""
const endOfHead = "\"\r\n\r\n"
const simpleName = /^[\w-]{1,64}$/
const ascii = /^[\0-\x7f]*$/

/** Larger bodies have large values, for which the parser costs little. */
const maxBytes = 64 * 1024

const maxFields = 100

const decoder = new TextDecoder()

/** The fields of a body of plain text fields. Undefined for any other body, which may be well-formed too. */
export const parse = (body: Uint8Array, contentType: string): Record<string, string> | undefined => {
  const boundary = type.exec(contentType)?.[1]
  if (boundary === undefined || body.length > maxBytes) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // one character for each byte
  const text = bytes.toString("latin1")
  const delimiter = `\r\n--${boundary}`
  if (!text.startsWith(delimiter.slice(2))) return undefined
  const fields: Record<string, string> = Object.create(null)
  let at = delimiter.length - 2
  for (let count = 0; count < maxFields; count++) {
    if (text.startsWith("--", at)) return at + 2 === text.length || text.slice(at + 2) === "\r\n" ? fields : undefined
    if (!text.startsWith("\r\n", at) || !text.startsWith(head, at + 2)) return undefined
    const nameAt = at + 2 + head.length
    const nameEnd = text.indexOf("\"", nameAt)
    const name = nameEnd === -1 ? "" : text.slice(nameAt, nameEnd)
    if (!simpleName.test(name) || !text.startsWith(endOfHead, nameEnd)) return undefined
    const start = nameEnd + endOfHead.length
    // the end of the head may belong to a delimiter
    const end = text.indexOf(delimiter, start - 2)
    if (end < start) return undefined
    const value = text.slice(start, end)
    fields[name] = ascii.test(value) ? value : decoder.decode(bytes.subarray(start, end))
    at = end + delimiter.length
  }
  return undefined
}
