// The surface of the program: what every command has in common.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cli, documentOf, place } from "./Cli.ts"

const said = (...argv: ReadonlyArray<string>) => Effect.flatMap(place, (at) => cli(argv, at))

describe("svc", () => {
  it.effect("prints the catalog when it is called bare", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* said()
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      for (const text of ["Get started", "svc create", "Operate", "svc up / down / restart", "Tokens", "svc tokens"]) {
        assert.include(stdout, text)
      }
      assert.match(stdout, /COMMAND --help.*v\d+\.\d+\.\d+/)
    }))

  it.effect("prints help on standard output, and only for --help", () =>
    Effect.gen(function*() {
      for (const argv of [["--help"], ["completions", "--help"]]) {
        const { code, stderr, stdout } = yield* said(...argv)
        assert.strictEqual(code, 0)
        assert.strictEqual(stderr, "")
        assert.include(stdout, "Usage")
      }
      assert.strictEqual((yield* said("completions", "-h")).code, 2)
    }))

  it.effect("ends with 2 when the command line is wrong, on standard error and without JSON", () =>
    Effect.gen(function*() {
      for (
        const argv of [
          ["nothing"],
          ["completions"],
          ["completions", "tcsh"],
          ["completions", "bash", "more"],
          ["completions", "bash", "--nothing"],
          ["completions", "bash", "--json=1"],
          ["completions", "bash", "-drx"]
        ]
      ) {
        const { code, stderr, stdout } = yield* said(...argv, "--json")
        assert.strictEqual(code, 2, argv.join(" "))
        assert.strictEqual(stdout, "")
        assert.notStrictEqual(stderr, "")
      }
    }))

  it.effect("prints exactly one document with --json, in ASCII", () =>
    Effect.gen(function*() {
      const ran = yield* said("completions", "fish", "--json")
      assert.strictEqual(ran.code, 0)
      assert.strictEqual(documentOf<{ shell: string }>(ran).shell, "fish")
      assert.match(ran.stdout, /^[\n -~]*\n$/)
      assert.isTrue(ran.stdout.startsWith("{\n  \"shell\""))
    }))
})
