// A route beside the API, of a protocol or of the application, with its scopes. The scope table has these, and the
// layer of the route serves it.
export interface ProtocolRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** In the syntax of the router: `:name` is a parameter, and `::` a colon. */
  readonly path: `/${string}`
  /** All of them are needed. None: the handler checks them, because the body decides. */
  readonly scopes: ReadonlyArray<string>
  /** How many segments are before the name of a component, as `agents/:id`. */
  readonly depth: number
}
