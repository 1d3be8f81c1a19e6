// What the client of a request accepts. Clients of the protocol name JSON and streams of events, but many HTTP clients
// send only the default of their library.

interface Range {
  readonly type: string
  readonly weight: number
}

const rangeOf = (part: string): Range => {
  const [type = "", ...parameters] = part.toLowerCase().split(";").map((each) => each.trim())
  const quality = parameters.find((each) => each.startsWith("q="))
  return { type, weight: quality === undefined ? 1 : Number(quality.slice("q=".length)) }
}

/** The most specific range decides. */
const isAccepted = (ranges: ReadonlyArray<Range>, type: string): boolean => {
  const candidates = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"]
  const found = candidates.map((each) => ranges.find((range) => range.type === each)).find((each) => each !== undefined)
  return found !== undefined && found.weight > 0
}

/** The header that the library requires. */
export const both = "application/json, text/event-stream"

export interface Accepted {
  readonly json: boolean
  readonly streams: boolean
}

/** Without the header a client accepts everything. */
export const of = (header: string | undefined): Accepted => {
  if (header === undefined || header.trim() === "") return { json: true, streams: true }
  const ranges = header.split(",").map(rangeOf)
  return { json: isAccepted(ranges, "application/json"), streams: isAccepted(ranges, "text/event-stream") }
}
