// What every `ContentStore` has to do.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc/runtime/jobs/JobStore"
import type { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import type { Layer } from "effect"
import { folders } from "./knowledge/folders.ts"
import { persistence } from "./knowledge/persistence.ts"
import { processing } from "./knowledge/processing.ts"

export const suite = <E>(name: string, stores: Layer.Layer<ContentStore | JobStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ContentStore, ${name}`, (it) => {
    persistence(it)
    processing(it)
    folders(it)
  })
