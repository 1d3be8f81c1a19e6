// The scripted model for tests that use promises: each turn is what one request to the model is answered with.
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Model } from "@svc-runtime/models/Model"
import { type Duration, Effect, Predicate } from "effect"
import * as Given from "./internal/givenSteps.ts"
import * as Transcript from "./internal/transcript.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export type Step = ScriptedModel.Step
export type ModelRequest = ScriptedModel.Call

/** A text is a turn of one text. */
export type TurnSteps = string | Step | ReadonlyArray<Step>

/** The steps of one answer, or a function that makes them of the request. */
export type ScriptTurn = TurnSteps | ((request: ModelRequest) => TurnSteps)

/** A model that an agent is given, with what it was asked. */
export interface TestModel extends Model {
  /** The requests so far. */
  readonly requests: ReadonlyArray<ModelRequest>
  /** The requests so far as a text that is the same in each run of a test: for snapshots, and for people. */
  readonly transcript: string
  /** The number of turns that no request has used. */
  readonly remaining: number
}

/** The whole answer of structured output: the object as JSON. */
export const object = (value: object): Step => {
  Given.object("What object() is given", value, "Write it as a turn, without object()")
  return ScriptedModel.text(JSON.stringify(value))
}

/** Waits for so long, by the time of the service. */
export const delay = (duration: Duration.Input): Step =>
  ScriptedModel.wait(Effect.sleep(Validate.duration("delay()", "its length", duration)))

/** The provider refuses the content. */
export const refusal = (message = "It is against the content policy"): Step =>
  ScriptedModel.failStatus(400, { message: `content_policy: ${message}` })

const stepOf = (step: Step): Step => {
  if (Predicate.hasProperty(step, "_tag")) return step
  throw mismatch("A step of scriptedModel()", "made by text(), toolCall() or another function of the kit", step)
}

const stepsOf = (turn: TurnSteps): ReadonlyArray<Step> =>
  Predicate.isString(turn)
    ? [ScriptedModel.text(turn)]
    : (Array.isArray(turn) ? turn as ReadonlyArray<Step> : [turn as Step]).map(stepOf)

const toTurn = (turn: ScriptTurn): ScriptedModel.Turn =>
  Predicate.isFunction(turn) ? (call) => stepsOf(turn(call)) : stepsOf(turn)

/**
 * A model with prepared answers, in their order. A request after the last one fails with the number of the request.
 *
 * ```ts
 * import { Agent } from "@svc-runtime/server"
 * import { scriptedModel, toolCall } from "@svc-runtime/testing"
 *
 * const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])
 *
 * Agent.make({ id: "assistant", model })
 * ```
 */
export const scriptedModel = (
  turns: ReadonlyArray<ScriptTurn>,
  options: ScriptedModel.Options = {}
): TestModel => {
  if (!Array.isArray(turns)) throw mismatch("scriptedModel()", "a list of turns", turns)
  const scripted = Effect.runSync(ScriptedModel.make(turns.map(toTurn), options))
  return {
    ...scripted.model,
    get requests() {
      return Effect.runSync(scripted.calls)
    },
    get transcript() {
      return Transcript.make(Effect.runSync(scripted.calls))
    },
    get remaining() {
      return Effect.runSync(scripted.remaining)
    }
  }
}
