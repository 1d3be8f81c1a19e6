// The options of a run. An option is declared here or in one of the parts, decoded by the transport that offers it, and
// read by the runner that applies it. Everything in between passes the options on as one value.
import * as AgentRunOptions from "../agent/AgentRunOptions.ts"
import type { IfBusy } from "../run/RunRequest.ts"
import type { SharedOptions } from "../run/SharedOptions.ts"

/** A workflow ignores those of agents. */
export interface RunOptions extends SharedOptions, AgentRunOptions.AgentRunOptions {
  readonly stream: boolean
  readonly background: boolean
  readonly ifBusy: IfBusy
}

/** The options of a request that chooses none. */
export const defaults: RunOptions = {
  ...AgentRunOptions.defaults,
  session_state: undefined,
  dependencies: {},
  metadata: undefined,
  stream: false,
  background: false,
  ifBusy: "queue"
}
