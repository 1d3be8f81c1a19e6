// What every `ServiceAccountStore` has to do. Tests share the database: each looks only at what it made itself.
import { layer } from "@effect/vitest"
import type { ServiceAccountStore } from "@svc-runtime/auth"
import type { Layer } from "effect"
import { listing } from "./accounts/listing.ts"
import { persistence } from "./accounts/persistence.ts"

export const suite = <E>(name: string, stores: Layer.Layer<ServiceAccountStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ServiceAccountStore, ${name}`, (it) => {
    persistence(it)
    listing(it)
  })
