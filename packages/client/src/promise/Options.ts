/** The options of one call. */
export interface Options {
  /** Ends the request, and the run of a stream stays as it is. */
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A repeated request with the same key starts no second run. The client makes one for each run when left out. */
  readonly idempotencyKey?: string | undefined
}

const known: Readonly<Record<keyof Options, true>> = { signal: true, headers: true, idempotencyKey: true }

/** The names of options that there are not. */
export const unknownOf = (options: Options): ReadonlyArray<string> => {
  if (typeof options !== "object") {
    throw new TypeError(
      `The options of a call are an object, such as { signal }, and no ${typeof options}. The session and the user are ` +
        "fields of the run: { message: …, session_id: … }"
    )
  }
  return Object.keys(options).filter((name) => !Object.hasOwn(known, name))
}
