// What the tests know of the stores of all features that have some.
import { features } from "@svc-runtime/features/features"
import type { CheckedStores } from "./CheckedStores.ts"

interface Module {
  readonly stores: CheckedStores
}

const modules = await Promise.all(
  features.filter(({ migrations, stores }) => (migrations ?? stores) !== undefined)
    .map(({ name }): Promise<Module> => import(`@svc-runtime/features/${name}/test/stores`))
)

export const ofFeatures: ReadonlyArray<CheckedStores> = modules.map(({ stores }) => stores)
