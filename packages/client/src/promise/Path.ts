/** An id in a path. `..` would change the path however it is encoded, and an empty id would name a whole list. */
export const segment = (id: unknown): string => {
  const text = typeof id === "number" ? String(id) : id
  if (typeof text !== "string" || text === "" || text === "." || text === "..") {
    const own = typeof id === "object" && id !== null && "id" in id ? `. Give its id, '${id.id}'` : ""
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

export const runSegment = (run: { readonly run_id: unknown }): string => {
  if (typeof run !== "object") {
    throw new TypeError(`This is no run, but the text '${run}'. Give what run(…) returned, or its ids`)
  }
  refuseTestRun(run)
  return segment(run.run_id)
}
