// Patterns of paths: of the endpoints of the API, and of the routes that operators map or exclude. Each segment of a
// pattern matches exactly one segment of a path.

export type Segment = { readonly literal: string } | { readonly name: string }

/** Any segment, in the pattern of an operator. */
const wildcard = /^(\*|\{[^{}]*\}|:[A-Za-z_]\w*)$/

export const split = (path: string): ReadonlyArray<string> => path.split("/").filter((segment) => segment !== "")

/** Parses the path of an endpoint: `:name` is a parameter, and `::` a colon. */
export const ofEndpoint = (path: string): ReadonlyArray<Segment> =>
  split(path).map((segment) =>
    /^:[^:]/.test(segment) ? { name: segment.slice(1) } : { literal: segment.replaceAll("::", ":") }
  )

/** Parses the pattern of an operator. */
export const ofOperator = (path: string): ReadonlyArray<Segment> =>
  split(path).map((segment, index) => wildcard.test(segment) ? { name: `segment${index}` } : { literal: segment })

/** A wildcard that is only a part of a segment would be taken for text, and protect nothing. */
export const hasPartialWildcard = (path: string): boolean =>
  split(path).some((segment) => !wildcard.test(segment) && /[*{}]/.test(segment))

/** Whether a route has each path of the pattern of an operator. A wildcard is no fixed segment of a route. */
export const covers = (route: ReadonlyArray<Segment>, pattern: ReadonlyArray<Segment>): boolean =>
  route.length === pattern.length && route.every((own, index) => {
    const given = pattern[index]
    if (!("literal" in own) || given === undefined) return given !== undefined
    // a route of the application can end with `*`
    return "literal" in given ? given.literal === own.literal : own.literal === "*"
  })

/** In the syntax of the router. */
export const toRouter = (segments: ReadonlyArray<Segment>): `/${string}` =>
  `/${
    segments.map((segment) => "literal" in segment ? segment.literal.replaceAll(":", "::") : `:${segment.name}`)
      .join("/")
  }`

/** Two patterns with one key are the same, whatever they call their parameters. */
export const keyOf = (method: string, segments: ReadonlyArray<Segment>): string =>
  `${method} /${segments.map((segment) => "literal" in segment ? segment.literal : "*").join("/")}`
