// The JUnit file of eval run: CI never reads the results of an earlier evaluation in it, nor a credential.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf, type Machine, place } from "./Cli.ts"
import { answering, capitals, completed, known, serviceOf } from "./Evaluating.ts"
import { fakeService, Refusal } from "./FakeService.ts"

const green = "<?xml version=\"1.0\"?>\n<testsuites tests=\"1\" failures=\"0\" errors=\"0\"/>\n"

/** An evaluation whose JUnit file has the results of an earlier one. */
const evaluate = Effect.fnUntraced(function*(file: string | undefined, machine: Machine = {}) {
  const at = yield* place
  if (file !== undefined) at.write("evaluation.yaml", file)
  at.write("results.xml", green)
  const ran = yield* cli(["eval", "run", "evaluation.yaml", "--junit", "results.xml", "--json"], at, machine)
  return { ran, xml: readFileSync(join(at.cwd, "results.xml"), "utf8") }
})

const judged = (agent_id: string) => `
name: politeness
agent_id: assistant
items: [{input: Hello}]
scorers: [{type: judge, agent_id: ${agent_id}, criteria: It is polite.}]
`

const namesOf = (xml: string) => Array.from(xml.matchAll(/<testcase name="([^"]*)"/g), ([, name]) => name)

describe("the JUnit file of svc eval run", () => {
  it.effect("an evaluation that ends early replaces an older file by one error with the reason", () =>
    Effect.gen(function*() {
      const gone = new Refusal(404, { detail: "Agent not found" })
      const rejected = new Refusal(401, { detail: "Token expired" })
      const variables = { PLATFORM_ADMIN_TOKEN: "t" }
      const cases: ReadonlyArray<readonly [file: string | undefined, machine: Machine, suite: string, reason: string]> =
        [
          [
            capitals,
            serviceOf(gone),
            "capitals",
            "2 of 2 runs were not executed: The service has no agent 'assistant'"
          ],
          [judged("nope"), serviceOf(completed("Hi")), "politeness", "The service has no agent 'nope'"],
          [capitals, { ...serviceOf(rejected), variables }, "capitals", "credential (Token expired)"],
          [capitals, fakeService({}), "capitals", "No running service found"],
          [capitals, serviceOf(known, { "GET /info": { auth_mode: "security_key" } }), "capitals", "authentication"],
          ["agent_id: a\nitems: []", serviceOf(known), "a", "Invalid evaluation evaluation.yaml: "],
          ["name: n\nagent_id: a\nteam_id: b", serviceOf(known), "n", "Invalid evaluation evaluation.yaml: "],
          ["agent_id: a\nteam_id: b", serviceOf(known), "evaluation.yaml", "Invalid evaluation evaluation.yaml: "],
          ["items: [", serviceOf(known), "evaluation.yaml", "Invalid evaluation evaluation.yaml: "],
          [undefined, serviceOf(known), "evaluation.yaml", "Could not read evaluation.yaml: no such file or directory"]
        ]
      for (const [file, machine, suite, reason] of cases) {
        const { ran, xml } = yield* evaluate(file, machine)
        assert.strictEqual(ran.code, 1, reason)
        assert.include(documentOf(ran).error, reason.replace(/^2 of 2 runs were not executed: /, ""))
        assert.lengthOf(xml.match(/<testsuite /g) ?? [], 1)
        assert.include(xml, `<testsuites name="${suite}" tests="1" failures="0" errors="1"`)
        assert.include(xml, `<testsuite name="${suite}" tests="1" failures="0" errors="1"`)
        assert.match(xml, /<testcase name="all runs are executed".*>\n +<error message=".*">/)
        assert.include(xml.replaceAll("&quot;", "\""), reason)
      }
    }))

  it.effect("an evaluation that ends early has the hint of its error in the file", () =>
    Effect.gen(function*() {
      const { xml } = yield* evaluate(capitals, serviceOf(new Refusal(403, { detail: "Insufficient permissions" })))
      assert.match(xml, /<error message="[^"]*">Export PLATFORM_ADMIN_TOKEN .* is enough\.<\/error>/)
    }))

  it.effect("an evaluation that ends early with results has them beside the reason", () =>
    Effect.gen(function*() {
      const answers: Array<unknown> = [completed("Paris"), new Refusal(401, { detail: "Token expired" })]
      const { xml } = yield* evaluate(`${capitals}concurrency: 1\n`, serviceOf(() => answers.shift()))
      assert.deepStrictEqual(namesOf(xml), ["france", "all runs are executed"])
      assert.include(xml, "1 of 2 runs were not executed: The service rejected the credential (Token expired)")
    }))

  it.effect("an evaluation that is killed leaves no older results", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write("evaluation.yaml", capitals)
      at.write("results.xml", green)
      const seen = new Set<string>()
      const { http } = serviceOf(known)
      const reading = (request: Request) => {
        seen.add(readFileSync(join(at.cwd, "results.xml"), "utf8"))
        return http(request)
      }
      const ran = yield* cli(["eval", "run", "evaluation.yaml", "--junit", "results.xml"], at, { http: reading })
      assert.strictEqual(ran.code, 0)
      const [xml = "", ...others] = seen
      assert.deepStrictEqual(others, [])
      assert.include(xml, "<testsuites name=\"capitals\" tests=\"1\" failures=\"0\" errors=\"1\"")
      assert.include(xml, "<error message=\"The evaluation did not end\">")
    }))

  it.effect("an invalid command line does not touch an older file", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write("evaluation.yaml", capitals)
      at.write("results.xml", green)
      const argv = ["eval", "run", "evaluation.yaml", "--junit", "results.xml", "--nonsense"]
      assert.strictEqual((yield* cli(argv, at, serviceOf(known))).code, 2)
      assert.strictEqual(readFileSync(join(at.cwd, "results.xml"), "utf8"), green)
    }))

  it.effect("a file that cannot be written is an error before the service is called", () =>
    Effect.gen(function*() {
      const service = serviceOf(known)
      const at = yield* place
      at.write("evaluation.yaml", capitals)
      const cases = [
        ["evaluation.yaml/results.xml", "a part of the path is not a directory"],
        [`${"n".repeat(300)}.xml`, "the name is too long"],
        ["none/results.xml", "no such file or directory"],
        [".", "it is a directory"]
      ] as const
      for (const [file, problem] of cases) {
        const ran = yield* cli(["eval", "run", "evaluation.yaml", "--junit", file, "--json"], at, service)
        assert.strictEqual(ran.code, 1)
        assert.strictEqual(documentOf(ran).error, `Could not write ${file}: ${problem}`)
      }
      assert.deepStrictEqual(service.calls(), [])
    }))

  it.effect("a file that is no XML is not replaced, such as that of the evaluation", () =>
    Effect.gen(function*() {
      const service = serviceOf(known)
      const at = yield* place
      at.write("evaluation.yaml", capitals)
      for (const file of ["results.xml", "evaluation.yaml"]) {
        const ran = yield* cli(["eval", "run", file, "--junit", "evaluation.yaml", "--json"], at, service)
        assert.strictEqual(ran.code, 1)
        assert.deepStrictEqual(documentOf(ran), {
          error: "Could not write evaluation.yaml: it exists, and is not XML",
          hint: "Name another file, or remove it."
        })
        assert.strictEqual(readFileSync(join(at.cwd, "evaluation.yaml"), "utf8"), capitals)
      }
      assert.isFalse(existsSync(join(at.cwd, "results.xml")))
      assert.deepStrictEqual(service.calls(), [])
    }))

  it.effect("a device gets the results, and nothing before them", () =>
    Effect.gen(function*() {
      const written: Array<string> = []
      const at = yield* place
      at.write("evaluation.yaml", capitals)
      const ran = yield* cli(["eval", "run", "evaluation.yaml", "--junit", "/dev/null"], at, {
        http: serviceOf(known).http,
        files: (files) => ({
          ...files,
          writeFileString: (path, text) => {
            written.push(text)
            return files.writeFileString(path, text)
          }
        })
      })
      assert.strictEqual(ran.code, 0)
      assert.lengthOf(written, 1)
      assert.include(written[0] ?? "", "<testsuites name=\"capitals\" tests=\"3\" failures=\"0\" errors=\"0\"")
    }))

  it.effect("names have no credential, neither of the command nor what looks like one", () =>
    Effect.gen(function*() {
      const [token, key] = ["correct-horse-battery", "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD"]
      const { xml } = yield* evaluate(
        `
name: of ${key}
agent_id: ${key}
iterations: 2
scorers: [{type: contains, name: has ${key}}]
thresholds: {scores: {has ${key}: 1}}
items:
  - {name: Bearer ${key}, input: The capital of France?, expected_output: Paris}
  - {name: Bearer ${key}2, input: The capital of France?, expected_output: Paris}
  - {name: with ${token}, input: The capital of France?, expected_output: Paris}
`,
        {
          variables: { PLATFORM_ADMIN_TOKEN: token },
          http: serviceOf(undefined, { [`POST /agents/${key}/runs`]: known }).http
        }
      )
      for (const secret of [token, key]) assert.notInclude(xml, secret)
      assert.include(xml, "<testsuites name=\"of [redacted]\" tests=\"8\" failures=\"0\"")
      assert.include(xml, "<testsuite name=\"of [redacted] thresholds\"")
      assert.include(xml, "classname=\"agent.[redacted]\"")
      // CI tells cases apart by their names
      assert.deepStrictEqual(namesOf(xml), [
        "Bearer [redacted] (item 1) (1 of 2)",
        "Bearer [redacted] (item 1) (2 of 2)",
        "Bearer [redacted] (item 2) (1 of 2)",
        "Bearer [redacted] (item 2) (2 of 2)",
        "with [redacted] (item 3) (1 of 2)",
        "with [redacted] (item 3) (2 of 2)",
        "pass_rate is at least 1",
        "scores.has [redacted] is at least 1"
      ])
    }))

  it.effect("a reason has no credential, neither of the command nor what looks like one", () =>
    Effect.gen(function*() {
      const token = "correct-horse-battery"
      const detail = `no user of ${token}, only Bearer abcdefghijk`
      const { xml } = yield* evaluate(capitals, {
        ...serviceOf(new Refusal(401, { detail })),
        variables: { PLATFORM_ADMIN_TOKEN: token }
      })
      assert.include(xml, "(no user of [redacted], only Bearer [redacted])")
    }))
})

describe("the lines of svc eval run", () => {
  it.effect("each result has one line, also if its name or a reason has line breaks", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(
        "evaluation.yaml",
        `
agent_id: assistant
concurrency: 1
thresholds: {pass_rate: 0}
items:
  - {name: "one\\r\\ntwo\\nthree\\rfour", input: a, scorers: [{type: contains, texts: ["five\\nsix"]}]}
`
      )
      const { http } = serviceOf(answering({}))
      const ran = yield* cli(["eval", "run", "evaluation.yaml"], at, { http })
      assert.include(ran.stdout, "1 of 1  failed  one two three\\u000dfour  contains 0.00: ")
      assert.match(ran.stdout, /^1 of 1 .*five six$/m)
      assert.include(ran.stderr, "failed: one two three\\u000dfour\n")
    }))
})
