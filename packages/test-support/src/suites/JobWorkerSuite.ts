// How nodes execute jobs: over every kind of store, in real time.
import { layer } from "@effect/vitest"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import type { Layer } from "effect"
import { executesJobs } from "./jobs/workerAttempts.ts"
import { survivesFaults } from "./jobs/workerFaults.ts"
import { losesJobs } from "./jobs/workerLeases.ts"
import { repeatsJobs } from "./jobs/workerRepeats.ts"

export const suite = <E>(name: string, stores: Layer.Layer<StoreServices, E>) =>
  layer(stores, { excludeTestServices: true })(`JobWorker, ${name}`, (it) => {
    executesJobs(it)
    losesJobs(it)
    repeatsJobs(it)
    survivesFaults(it)
  })
