// What every `ApprovalStore` has to do. The layer also gives the `SessionStore` of the same database, because approvals
// are removed with their sessions. Tests share the database: each looks only at what it made itself.
import { layer } from "@effect/vitest"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { Layer } from "effect"
import { listing } from "./approvals/listing.ts"
import { ownership } from "./approvals/ownership.ts"
import { pendingResumes } from "./approvals/pendingResumes.ts"
import { persistence } from "./approvals/persistence.ts"
import { resolving } from "./approvals/resolving.ts"

export const suite = <E>(name: string, stores: Layer.Layer<ApprovalStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ApprovalStore, ${name}`, (it) => {
    persistence(it)
    listing(it)
    ownership(it)
    resolving(it)
    pendingResumes(it)
  })
