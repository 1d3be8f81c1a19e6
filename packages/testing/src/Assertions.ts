// Assertions on runs. They throw the AssertionError of Node, which every test runner shows with both values.
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import { Predicate } from "effect"
import { AssertionError, deepStrictEqual, partialDeepStrictEqual } from "node:assert"
import type { TestModel } from "./Script.ts"
import { awaited, type CalledTool, type TestRun } from "./TestRun.ts"

type Run = Pick<TestRun, "content" | "events" | "problems" | "status" | "toolCalls">

const problemsOf = ({ problems }: Run): string =>
  problems.map(({ cause, message }) => `\n- ${message}${cause === "" ? "" : `: ${cause}`}`).join("")

/** Asserts the status of the run. The message has the answer, and what the service has logged about the run. */
export const assertStatus = (run: Run, status: string): void => {
  if (awaited(run).status === status) return
  throw new AssertionError({
    message: `The run is ${run.status} and not ${status}: ${JSON.stringify(run.content)}${problemsOf(run)}`,
    actual: run.status,
    expected: status,
    operator: "strictEqual",
    stackStartFn: assertStatus
  })
}

/** Asserts that the run has completed. */
export const assertCompleted = (run: Run): void => assertStatus(run, "COMPLETED")

/** What is expected of a call. Only what is given is compared: a name alone accepts all arguments. */
export type ExpectedCall = string | (Pick<CalledTool, "name"> & Partial<CalledTool>)

const checkList = (what: string, expected: unknown): void => {
  if (!Array.isArray(expected)) throw mismatch(what, "a list", expected, "Write [ … ] around it")
}

/** Asserts which tools were called, in their order, and no other. */
export const assertToolCalls = (run: Run, expected: ReadonlyArray<ExpectedCall>): void => {
  checkList("The calls that assertToolCalls() expects", expected)
  for (const [index, call] of expected.entries()) {
    if (typeof call === "string" || Predicate.hasProperty(call, "name")) continue
    throw mismatch(`The expected call [${index}]`, "the name of a tool, or an object with the name", call)
  }
  const calls = expected.map((call) => typeof call === "string" ? { name: call } : call)
  deepStrictEqual(awaited(run).toolCalls.map(({ name }) => name), calls.map(({ name }) => name))
  partialDeepStrictEqual(run.toolCalls, calls)
}

/** Asserts that the run has these events in this order. Others may be between them. */
export const assertEvents = (run: Run, expected: ReadonlyArray<string>): void => {
  checkList("The events that assertEvents() expects", expected)
  const names = awaited(run).events.map(({ event }) => event)
  const rest = [...expected]
  for (const name of names) if (name === rest[0]) rest.shift()
  if (rest.length === 0) return
  throw new AssertionError({
    message: `The run has no ${rest[0]} after ${expected[expected.length - rest.length - 1] ?? "its begin"}`,
    actual: names,
    expected,
    operator: "deepStrictEqual",
    stackStartFn: assertEvents
  })
}

/** Asserts that the model was asked for every turn of its script. */
export const assertScriptUsed = ({ remaining, requests }: TestModel): void => {
  if (remaining === 0) return
  throw new AssertionError({
    message: `The model was asked ${requests.length} times, and its script has ${remaining} more turns`,
    actual: requests.length,
    expected: requests.length + remaining,
    operator: "strictEqual",
    stackStartFn: assertScriptUsed
  })
}
