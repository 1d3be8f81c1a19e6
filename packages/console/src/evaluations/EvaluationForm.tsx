// Starts an evaluation in the background.
import type { EvalRunInput } from "@svc/client"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
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
  { name: "num_iterations", title: "Iterations", kind: "number", hint: "of accuracy and performance; 1 if it is empty" }
]

const bodyOf = (
  {
    component = "",
    criteria = "",
    eval_type,
    expected_output = "",
    expected_tool_calls = "",
    input = "",
    name = "",
    num_iterations = ""
  }: Values
): EvalRunInput => {
  const tools = expected_tool_calls.split(",").map((tool) => tool.trim()).filter((tool) => tool !== "")
  return {
    ...idsOf(component),
    eval_type: typeOf(eval_type) ?? "accuracy",
    input,
    background: true,
    ...(name === "" ? {} : { name }),
    ...(expected_output === "" ? {} : { expected_output }),
    ...(criteria === "" ? {} : { criteria }),
    ...(tools.length === 0 ? {} : { expected_tool_calls: tools }),
    ...(num_iterations === "" ? {} : { num_iterations: Number(num_iterations) })
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
