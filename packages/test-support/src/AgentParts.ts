// What all features add to the agents of one database, for tests without a service around them.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Features from "@svc-runtime/features/features"

export const layer = Features.agentParts(
  Features.configured(Features.features, Features.defaultSettings(Features.features)),
  { id: Ids.DatabaseId.make("main-db"), isOwn: true }
)
