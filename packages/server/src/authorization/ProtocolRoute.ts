// A route of a protocol beside the API, with the scopes that it needs. The scope table has these, and the protocol's
// layer serves them.
export interface ProtocolRoute {
  readonly method: "GET" | "POST" | "DELETE"
  /** In the syntax of the router: `:name` is a parameter, and `::` a colon. */
  readonly path: `/${string}`
  /** All of them are needed. None: the handler checks them, because the body decides. */
  readonly scopes: ReadonlyArray<string>
  /** How many segments are before the name of a component, as `agents/:id`. */
  readonly depth: number
}
