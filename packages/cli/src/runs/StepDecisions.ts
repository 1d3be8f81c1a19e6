// Decisions about the steps that a paused workflow waits for, by a person at the terminal.
import { isRequirement, type Requirement } from "@svc-runtime/domain/Requirement"
import type { ErrorRequirement, StepRequirement } from "@svc-runtime/domain/StepRequirement"
import { Effect } from "effect"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"
import * as CallDecisions from "./CallDecisions.ts"

const routes = Effect.fnUntraced(function*(requirement: StepRequirement) {
  const { select, text } = yield* Prompts
  const choices = requirement.available_choices ?? []
  const message = `Choose a route for step '${requirement.step_name}'`
  if (!requirement.allow_multiple_selections) {
    return [yield* select(message, choices.map((choice) => ({ title: choice, value: choice })))]
  }
  const chosenIn = (line: string) => line.split(",").map((word) => word.trim()).filter((word) => word !== "")
  const given = yield* text(`${message}, of ${choices.join(", ")}`, {
    initial: choices.join(", "),
    validate: (line) =>
      chosenIn(line).every((word) => choices.includes(word))
        ? Effect.succeed(line)
        : Effect.fail(`Expected names of ${choices.join(", ")}, with commas`)
  })
  return chosenIn(given)
})

const review = Effect.fnUntraced(function*(requirement: StepRequirement) {
  const prompts = yield* Prompts
  const { output_review_message, step_name, step_output } = requirement
  const output = yield* Output
  yield* output.line(typeof step_output === "string" ? step_output : JSON.stringify(step_output ?? null, null, 2))
  if (yield* prompts.confirm(output_review_message ?? `Accept the result of '${step_name}'?`, true)) {
    return { confirmed: true }
  }
  const feedback = yield* prompts.text("What is wrong with it", {
    initial: "",
    validate: (line) => Effect.succeed(line)
  })
  return { confirmed: false, ...(feedback === "" ? {} : { rejection_feedback: feedback }) }
})

/** The calls that a step waits for. */
export const callsOf = ({ executor_requirements: calls = [] }: StepRequirement): ReadonlyArray<Requirement> =>
  calls.filter(isRequirement)

/** Asks for a decision on the open requirement, which is the last one. */
export const decide = Effect.fn("StepDecisions.decide")(function*(requirement: StepRequirement) {
  const prompts = yield* Prompts
  const { confirmation_message, step_id, step_name } = requirement
  if (requirement.requires_executor_input === true) {
    const undecided = callsOf(requirement).filter(CallDecisions.isOpen)
    return { step_id, executor_requirements: yield* Effect.forEach(undecided, CallDecisions.decide) }
  }
  if (requirement.requires_route_selection) return { step_id, selected_choices: yield* routes(requirement) }
  if (requirement.requires_output_review) return { step_id, ...(yield* review(requirement)) }
  if (requirement.requires_user_input) {
    const fields = yield* CallDecisions.filled(requirement.user_input_schema)
    return { step_id, user_input: Object.fromEntries(fields.map(({ name, value }) => [name, value])) }
  }
  return {
    step_id,
    confirmed: yield* prompts.confirm(confirmation_message ?? `Execute the step '${step_name}'?`, true)
  }
})

export const decideError = Effect.fn("StepDecisions.decideError")(function*(requirement: ErrorRequirement) {
  const { confirm } = yield* Prompts
  const { error_message, step_name } = requirement
  const isRetried = yield* confirm(`The step '${step_name}' failed: ${error_message}. Try it again?`, true)
  return { ...requirement, decision: isRetried ? "retry" as const : "skip" as const }
})
