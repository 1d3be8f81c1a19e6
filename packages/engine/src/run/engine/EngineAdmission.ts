// The share of an engine in the runs that its node executes at once.
import { Context, Effect, Layer } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import { Executions } from "./Executions.ts"
import * as RunAdmission from "./RunAdmission.ts"

export class EngineAdmission extends Context.Service<
  EngineAdmission,
  RunAdmission.Admission & Pick<RunAdmission.RunAdmission, "recovered">
>()("@svc-runtime/engine/run/engine/EngineAdmission") {
  static readonly layer: Layer.Layer<EngineAdmission, never, EngineSettings | Executions> = Layer.effect(
    EngineAdmission,
    Effect.gen(function*() {
      const { admission = RunAdmission.make() } = yield* EngineSettings
      const { executing } = yield* Executions
      return { ...admission.join(executing), recovered: admission.recovered }
    })
  )
}
