// The texts about an operation. `body` is an example of a request that can be sent as it is.

export interface Operation {
  /** The name of the operation, in a few words. */
  readonly summary: string
  /** The sentences that a caller has to know. */
  readonly description: string
  /** The name of the method in the client, where the one that follows from method and path is taken or says less. */
  readonly method?: string
  readonly body?: Readonly<Record<string, unknown>> | string
}

/** By operation id. */
export type Operations = Readonly<Record<string, Operation>>
