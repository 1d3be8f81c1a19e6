// Starts an evaluation in the background.
import type { EvalRunInput, JsonObject } from "@svc-runtime/client"
import { jsonObject } from "../parts/parsed.ts"
import type { FieldOptions } from "../resources/FormField.tsx"
import { given, ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { go, href } from "../Route.ts"
import { type Choices, idsOf, useComponentChoices } from "../service/componentChoices.ts"
import { svc } from "../service/Service.ts"

type Type = EvalRunInput["eval_type"]

export const types: Readonly<Record<Type, string>> = {
  accuracy: "accuracy: how near is the answer to the expected one",
  agent_as_judge: "judge: does the answer meet the criteria",
  reliability: "reliability: were the expected tools called",
  performance: "performance: how long do runs take"
}

export const typeOf = (text: string | undefined): Type | undefined =>
  (Object.keys(types) as ReadonlyArray<Type>).find((type) => type === text)

const fieldsOf = (components: Choices): ReadonlyArray<FieldOptions> => [
  { name: "component", title: "Component", choices: components, isRequired: true },
  { name: "eval_type", title: "Type", choices: Object.entries(types) },
  { name: "name", title: "Name" },
  { name: "input", title: "Input", kind: "lines", isRequired: true },
  { name: "expected_output", title: "Expected answer", kind: "lines", hint: "accuracy needs it" },
  { name: "criteria", title: "Criteria", kind: "lines", hint: "the judge needs them" },
  { name: "expected_tool_calls", title: "Expected tools", hint: "separated by commas; reliability needs them" },
  {
    name: "num_iterations",
    title: "Iterations",
    kind: "number",
    hint: "of accuracy and performance; 1 if it is empty"
  },
  {
    name: "scoring_strategy",
    title: "The judge answers",
    choices: [["binary", "yes or no"], ["numeric", "a score from 1 to 10"]],
    isFurther: true
  },
  {
    name: "threshold",
    title: "Passes from this score on",
    kind: "number",
    hint: "1 to 10; 7 if it is empty",
    isFurther: true
  },
  {
    name: "warmup_runs",
    title: "Warm-up runs",
    kind: "number",
    hint: "of performance; none if it is empty",
    isFurther: true
  },
  {
    name: "other_calls",
    title: "Calls of other tools",
    choices: [["fail", "fail"], ["allow", "are allowed"]],
    isFurther: true
  },
  {
    name: "expected_tool_call_arguments",
    title: "Expected arguments",
    kind: "json",
    hint: "of reliability, by tool: {\"search\": {\"city\": \"Paris\"}}",
    isFurther: true
  },
  {
    name: "component_version",
    title: "Version of a stored component",
    kind: "number",
    hint: "the current one if it is empty",
    isFurther: true
  },
  {
    name: "model",
    title: "Model of the component",
    hint: "as provider:model; its own one if it is empty",
    isFurther: true
  },
  { name: "additional_guidelines", title: "Guidelines for the judge", kind: "lines", isFurther: true },
  {
    name: "additional_context",
    title: "What the judge should know",
    kind: "lines",
    hint: "of accuracy",
    isFurther: true
  }
]

const numbers = ["component_version", "num_iterations", "threshold", "warmup_runs"] as const
const texts = ["name", "expected_output", "criteria", "additional_guidelines", "additional_context"] as const

/** The service wants the provider and the name apart. */
const modelOf = (model = ""): Pick<EvalRunInput, "model_id" | "model_provider"> => {
  const [provider = "", ...name] = model.trim().split(":")
  return provider === "" ? {} : { model_provider: provider, model_id: name.join(":") }
}

const argumentsOf = (text = ""): Pick<EvalRunInput, "expected_tool_call_arguments"> => {
  const expected = jsonObject(text)
  return expected === undefined ? {} : { expected_tool_call_arguments: expected as Record<string, JsonObject> }
}

const bodyOf = (values: Values): EvalRunInput => {
  const { component = "", eval_type, expected_tool_calls = "", input = "", other_calls, scoring_strategy } = values
  const filled = given(values)
  const tools = expected_tool_calls.split(",").map((tool) => tool.trim()).filter((tool) => tool !== "")
  return {
    ...idsOf(component),
    eval_type: typeOf(eval_type) ?? "accuracy",
    input,
    background: true,
    ...Object.fromEntries(texts.flatMap((name) => filled[name] === undefined ? [] : [[name, filled[name]]])),
    ...Object.fromEntries(numbers.flatMap((name) => filled[name] === undefined ? [] : [[name, Number(filled[name])]])),
    ...(tools.length === 0 ? {} : { expected_tool_calls: tools }),
    ...(scoring_strategy === "numeric" ? { scoring_strategy } : {}),
    ...modelOf(values.model),
    ...argumentsOf(values.expected_tool_call_arguments),
    ...(other_calls === "allow" ? { allow_additional_tool_calls: true } : {})
  }
}

export const EvaluationForm = () => (
  <ResourceForm
    title="New evaluation"
    scope="evals:write"
    button="Start"
    isFolded
    fields={fieldsOf(useComponentChoices(["agent", "team"]))}
    submit={(values) => svc().evaluations.create(bodyOf(values)).then(({ id }) => go(href(["evaluations", id])))}
  />
)
