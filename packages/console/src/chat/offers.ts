// What a component lets a request choose for its run.
import type { Component } from "../service/components.ts"

export interface Offer {
  /** The model of a run that chooses none. */
  readonly model: string
  /** As provider:model. */
  readonly models: ReadonlyArray<string>
  readonly settings: ReadonlyArray<string>
}

/** Undefined: nothing is offered. A workflow has no model. */
export const offerOf = (component: Component): Offer | undefined => {
  if (!("model_options" in component)) return undefined
  const { offered_models: models = [], offered_settings: settings = [] } = component.model_options ?? {}
  const model = component.model?.model ?? component.model?.name ?? "its own model"
  return models.length + settings.length === 0 ? undefined : { model, models, settings }
}
