// The command of a run: decoded, and with the ids of the run. The engine knows these fields. The commands of agents,
// teams and workflows add the component and the options of their kind.
import type * as Component from "@svc-runtime/domain/Component"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunOption from "@svc-runtime/domain/RunOption"
import type * as Session from "@svc-runtime/domain/Session"
import type { Assumption } from "../ComponentPrecondition.ts"
import type { Lifetime } from "./Lifetime.ts"
import type { SessionLimit } from "./SessionLimit.ts"
import type { Place } from "./store/RunWrites.ts"

export interface RunCommand extends RunOption.Given<typeof RunOption.start>, SessionLimit {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: Ids.UserId | undefined
  /** The caller sees only their own data, and runs only in sessions of their own. */
  readonly isolated: boolean
  readonly input: Run.Input
  /** Where it is in the tree of its session. It overrides `previous_run_id`. */
  readonly place?: Place | undefined
  /** The run whose messages it begins with as its own. */
  readonly replaces?: Run.Id | undefined
  /** The claim of the idempotency key with which it is requested. */
  readonly claim?: string | undefined
  /** Its caller repeats the start under this id until it is known whether the run is stored. */
  readonly isRepeated?: boolean | undefined
  /** Its trace is its own, and linked to the span of the job around. Left out: it is in the trace around. */
  readonly hasOwnTrace?: boolean | undefined
  /** Ask models for a stream, and keep the run's events. */
  readonly stream: boolean
  /** The caller does not wait for it. Its events are kept, for later watchers. */
  readonly background: boolean
  /**
   * Of what the component's factory has opened. The engine closes it with the run; until the run is accepted, its
   * caller does.
   */
  readonly lifetime?: Lifetime | undefined
  /** The input of the component's factory. It is kept with the run, whose component may have to be made again. */
  readonly factory_input?: Json.Object | undefined
  /** The versions of a stored component. They are kept with the run, whose component may have to be made again. */
  readonly component_versions?: Component.Versions | undefined
  /** The run is refused if one of them does not hold. */
  readonly assumes?: ReadonlyArray<Assumption> | undefined
}
