// What every `MemoryStore` has to do. The layer also gives the stores of the same database that memories depend on.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc/runtime/jobs/JobStore"
import type { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import type { RunStore } from "@svc/runtime/run/store/RunStore"
import type { SessionStore } from "@svc/runtime/session/SessionStore"
import type { Layer } from "effect"
import { applying } from "./memories/applying.ts"
import { contending } from "./memories/contending.ts"
import { listing } from "./memories/listing.ts"
import { persistence } from "./memories/persistence.ts"

export const suite = <E>(name: string, stores: Layer.Layer<JobStore | MemoryStore | RunStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`MemoryStore, ${name}`, (it) => {
    persistence(it)
    listing(it)
    applying(it)
    contending(it)
  })
