/** An id in a path. `..` would change the path however it is encoded, and an empty id would name a whole list. */
export const segment = (id: unknown): string => {
  const text = typeof id === "number" ? String(id) : id
  if (typeof text !== "string" || text === "" || text === "." || text === "..") {
    const given: { readonly id?: unknown; readonly session_id?: unknown } = typeof id === "object" && id !== null
      ? id
      : {}
    const ownId = given.id ?? given.session_id
    const own = ownId === undefined ? "" : `. Give its id, '${String(ownId)}'`
    const hint = id === undefined ? ". A run that is not awaited has none" : own
    throw new TypeError(
      `This is no id: ${typeof id === "object" && id !== null ? "an object" : JSON.stringify(id)}${hint}`
    )
  }
  return encodeURIComponent(text)
}

/** Runs of tests have the run of the client as `output`. */
export const refuseTestRun = (run: object): void => {
  if ("output" in run && !("run_id" in run)) throw new TypeError("This is a run of a test. Write .output after it")
}

/** The id of a run in a path. Throws for what is no run. */
export const runSegment = (run: { readonly run_id: unknown }): string => {
  const given: unknown = run
  if (typeof given !== "object" || given === null) {
    const what = typeof given === "string" ? `the text '${given}'` : String(given)
    throw new TypeError(`This is no run, but ${what}. Give what run(…) returned, or its ids`)
  }
  if ("then" in given) throw new TypeError("This run is not awaited. Write await before it")
  refuseTestRun(run)
  return segment(run.run_id)
}
