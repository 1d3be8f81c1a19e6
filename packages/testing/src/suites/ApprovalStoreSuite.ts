// What every `ApprovalStore` has to do. The layer also gives the `SessionStore` of the same database, because approvals go
// with their sessions. Tests share the database: each looks only at what it made itself.
import { layer } from "@effect/vitest"
import type { ApprovalStore, SessionStore } from "@svc/runtime"
import type { Layer } from "effect"
import { keeping } from "./approvals/keeping.ts"
import { listing } from "./approvals/listing.ts"
import { ownership } from "./approvals/ownership.ts"
import { resolving } from "./approvals/resolving.ts"
import { telling } from "./approvals/telling.ts"

export const suite = <E>(name: string, stores: Layer.Layer<ApprovalStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`ApprovalStore, ${name}`, (it) => {
    keeping(it)
    listing(it)
    ownership(it)
    resolving(it)
    telling(it)
  })
