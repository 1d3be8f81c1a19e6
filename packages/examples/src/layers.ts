// The same kind of service with Effect: tools written as Effects, parameters as Effect Schema, and the application as
// a Layer that is launched like any other.
import { NodeRuntime } from "@effect/platform-node"
import { Agent, Application, Tool } from "@svc-runtime/server"
import { Effect, Layer, Random, Schema } from "effect"

const roll = Tool.make({
  name: "roll_dice",
  description: "Rolls dice and gives their values",
  parameters: Schema.Struct({
    dice: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })),
    sides: Schema.Literals([4, 6, 8, 10, 12, 20])
  }),
  execute: ({ dice, sides }) => Effect.forEach(Array.from({ length: dice }), () => Random.nextIntBetween(1, sides))
})

export const gameMaster = Agent.make({
  id: "game-master",
  instructions: ["Lead a short adventure.", "Roll dice for everything that may fail."],
  tools: [roll],
  addHistoryToContext: true,
  numHistoryRuns: 10
})

export const application = Application.make({ agents: [gameMaster] })

if (import.meta.main) Layer.launch(application).pipe(NodeRuntime.runMain)
