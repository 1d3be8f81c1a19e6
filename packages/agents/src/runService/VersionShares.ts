// The versions of a stored component among which its new runs are divided. A feature knows them. The run service asks
// it for each new run that names no version, so the answer needs no statement.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect } from "effect"
import type { SharedVersion } from "../component/StoredComponents.ts"
import type { ComponentRef } from "./Components.ts"

/** The version of a new run. It is the same for each run of a session, or of a user. */
export type VersionOf = (run: { readonly session_id: string; readonly user_id: string | undefined }) => SharedVersion

export class VersionShares extends Context.Service<VersionShares, {
  /** Undefined: all runs get the current version. */
  readonly of: (component: ComponentRef) => VersionOf | undefined
  /** Whether new runs may get this version. */
  readonly includes: (id: string, version: number) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc-runtime/agents/runService/VersionShares") {}
