// What the feature does in a service that has it.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import * as RolloutGuards from "./RolloutGuards.ts"
import * as Rollouts from "./Rollouts.ts"
import { handlers } from "./RolloutsHandlers.ts"
import * as SqlRolloutStore from "./SqlRolloutStore.ts"

export const live = Feature.live({
  stores: SqlRolloutStore.layer,
  handlers,
  service: () => Rollouts.layer,
  jobs: (_, { isOwn }) => isOwn ? Effect.map(RolloutGuards.kind, (kind) => [kind]) : Effect.succeed([])
})
