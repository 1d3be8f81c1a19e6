// The endpoints of a service with all features, as the tests know them.
import { features } from "@svc-runtime/features/features"
import type { CheckedEndpoint } from "./Checked.ts"
import { ofEveryService } from "./ofEveryService.ts"

interface Module {
  readonly endpoints: ReadonlyArray<CheckedEndpoint>
}

const ofFeatures = await Promise.all(
  features.filter(({ groups }) => groups.length > 0)
    .map(({ name }): Promise<Module> => import(`@svc-runtime/features/${name}/test/endpoints`))
)

export const endpoints: ReadonlyArray<CheckedEndpoint> = [
  ...ofEveryService,
  ...ofFeatures.flatMap(({ endpoints }) => endpoints)
]
