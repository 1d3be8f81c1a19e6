// What the requests of the API share.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { ComponentLookup } from "../protocols/ComponentLookup.ts"

export interface Services {
  readonly service: RunService["Service"]
  readonly components: ComponentLookup
  /** The names of the tools whose calls wait for a person. */
  readonly asking: ReadonlySet<string>
  /** Bytes of earlier messages that a run gets. */
  readonly limit: number
}
