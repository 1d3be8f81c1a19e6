// What every `ContentStore` has to do.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import type { Layer } from "effect"
import type { ContentStore } from "../ContentStore.ts"
import { folders } from "./folders.ts"
import { persistence } from "./persistence.ts"
import { processing } from "./processing.ts"

export const suite = <E>(name: string, stores: Layer.Layer<ContentStore | JobStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ContentStore, ${name}`, (it) => {
    persistence(it)
    processing(it)
    folders(it)
  })
