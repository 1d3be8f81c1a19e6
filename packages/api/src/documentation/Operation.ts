// What the API's document says about an operation. `body` is an example of a request that can be sent as it is.

export interface Operation {
  /** What it does, in a few words. */
  readonly summary: string
  /** What a caller has to know, in sentences. */
  readonly description: string
  readonly body?: Readonly<Record<string, unknown>> | string
}

/** By operation id. */
export type Operations = Readonly<Record<string, Operation>>
