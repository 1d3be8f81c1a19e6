// The state of one client while it is connected.
import { Effect, type Redacted } from "effect"
import type { Client } from "../clients/Client.ts"
import type { Found } from "../clients/ServiceEntries.ts"
import { verify } from "../mcp/Verification.ts"
import { Output } from "../terminal/Output.ts"
import type { Shared } from "./ClientTokens.ts"
import type { Plan } from "./Plan.ts"

export interface ClientState {
  readonly plan: Plan
  readonly client: Client
  readonly shared: Shared | undefined
  /** The client's entry of the name. */
  readonly existing: Found | undefined
  /** The name is used by an entry that has no address. */
  readonly isNameTaken: boolean
  /** The entry under the name of older versions, if it belongs to this service. */
  readonly legacy: Found | undefined
  /** With --project: the entry of the user, if it belongs to this service. */
  readonly ofUser: Found | undefined
}

/** Checks that a token works for this client. */
export const check = ({ client, plan }: ClientState, token: Redacted.Redacted | undefined) =>
  Effect.flatMap(Output, (output) =>
    output.waiting(
      `Trying out ${client.name}`,
      verify({ url: plan.mcpUrl, token, expectsChallenge: plan.isSignIn && token === undefined })
    ))
