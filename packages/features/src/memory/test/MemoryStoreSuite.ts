// What every `MemoryStore` has to do. The layer also gives the stores of the same database that memories depend on.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { Layer } from "effect"
import type { MemoryStore } from "../MemoryStore.ts"
import { applying } from "./applying.ts"
import { contending } from "./contending.ts"
import { listing } from "./listing.ts"
import { persistence } from "./persistence.ts"

export const suite = <E>(name: string, stores: Layer.Layer<JobStore | MemoryStore | RunStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`MemoryStore, ${name}`, (it) => {
    persistence(it)
    listing(it)
    applying(it)
    contending(it)
  })
