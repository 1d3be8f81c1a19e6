// A channel: a platform on which one component answers.
import type { Adapter } from "./Adapter.ts"

/** Who may talk to the component. */
export type Access =
  /** People who have linked their account on the platform to a user of the service. They act with their scopes. */
  | { readonly type: "linked" }
  /**
   * Everybody whom the platform lets write, or those with these ids. They act as users of the channel, who may run its
   * component. `approvers` may decide what its runs wait for as well.
   */
  | {
    readonly type: "open"
    readonly senders?: ReadonlyArray<string> | undefined
    readonly approvers?: ReadonlyArray<string> | undefined
  }

/** What all channels have. */
export interface Options {
  /** Part of the URL: `/channels/{id}/events`. The platform's name when left out. */
  readonly id?: string | undefined
  /** The id of the component that answers. One of them. */
  readonly agent?: string | undefined
  readonly team?: string | undefined
  readonly workflow?: string | undefined
  /** `{ type: "linked" }` when left out. */
  readonly access?: Access | undefined
  /** The tenant whose users it is for. Without, it is for users of all tenants, and of none. */
  readonly tenant?: string | undefined
  /** What a message does that arrives while a run executes, as `if_busy` of a run: `queue` when left out. */
  readonly whenBusy?: "queue" | "interrupt" | "reject" | undefined
}

export interface Channel extends Options {
  readonly id: string
  readonly adapter: Adapter
}

/**
 * A channel with an adapter of one's own.
 *
 * @example
 * ```ts
 * serve({ agents: [desk], channels: [Channel.make({ agent: "desk" }, adapter)] })
 * ```
 */
export const make = (options: Options, adapter: Adapter): Channel => ({
  ...options,
  id: options.id ?? adapter.platform,
  adapter
})
