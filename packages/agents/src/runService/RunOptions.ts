// The options of a run. `RunOption` of the domain declares flags and choices. The transport decodes them, and the
// runner applies them. All code between the two passes the options on as one value, with their names on the wire.
import * as RunOption from "@svc-runtime/domain/RunOption"
import type { SharedOptions } from "@svc-runtime/engine/run/SharedOptions"
import * as AgentRunOptions from "../agent/define/AgentRunOptions.ts"

/** A workflow ignores those of agents. */
export interface RunOptions
  extends SharedOptions, AgentRunOptions.AgentRunOptions, RunOption.Values<typeof RunOption.start>
{
  readonly stream: boolean
  readonly background: boolean
  /** Fields that the request sends and that are no JSON objects, so they are left out. */
  readonly unreadable?: ReadonlyArray<keyof SharedOptions> | undefined
}

/** The options of a request that chooses none. */
export const defaults: RunOptions = {
  ...AgentRunOptions.defaults,
  ...RunOption.defaultsOf(RunOption.start),
  ...RunOption.defaultsOf(RunOption.shared),
  stream: false,
  background: false
}
