// The surface of the program: what every command has in common.
import { assert, describe, it } from "@effect/vitest"
import { Effect, type FileSystem } from "effect"
import { Completions } from "effect/cli"
import { svc } from "../src/Main.ts"
import { cli, documentOf, place } from "./Cli.ts"

/** The commands that do something, with the names of their flags. Groups have commands instead. */
const commandsOf = (
  { flags, name, subcommands }: Completions.CommandDescriptor,
  path: ReadonlyArray<string> = []
): ReadonlyArray<readonly [command: string, flags: ReadonlyArray<string>]> =>
  subcommands.length === 0
    ? [[[...path, name].join(" "), flags.map(({ name }) => name)]]
    : subcommands.flatMap((command) => commandsOf(command, [...path, name]))

const run = (...argv: ReadonlyArray<string>) => Effect.flatMap(place, (at) => cli(argv, at))

describe("svc", () => {
  it.effect("the command without arguments prints the catalog", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* run()
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      for (const text of ["Get started", "svc create", "Operate", "svc up / down / restart", "Tokens", "svc tokens"]) {
        assert.include(stdout, text)
      }
      assert.match(stdout, /COMMAND --help.*v\d+\.\d+\.\d+/)
    }))

  it.effect("help is on standard output only for --help", () =>
    Effect.gen(function*() {
      for (const argv of [["--help"], ["completions", "--help"]]) {
        const { code, stderr, stdout } = yield* run(...argv)
        assert.strictEqual(code, 0)
        assert.strictEqual(stderr, "")
        assert.include(stdout, "Usage")
      }
      assert.strictEqual((yield* run("completions", "-h")).code, 2)
    }))

  it.effect("a wrong command line ends with 2, on standard error and without JSON", () =>
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
        const { code, stderr, stdout } = yield* run(...argv, "--json")
        assert.strictEqual(code, 2, argv.join(" "))
        assert.strictEqual(stdout, "")
        assert.notStrictEqual(stderr, "")
      }
    }))

  it.effect("a word of letters that are no flags is named once, as it was written", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* run("up", "-xother")
      assert.strictEqual(code, 2)
      assert.strictEqual(stderr.split("\n")[0], "Unrecognized flag: -xother in command svc up")
      assert.strictEqual(stderr.match(/Unrecognized/g)?.length, 1)
    }))

  it.effect("a letter that is no flag is named without guesses, and a word with the flag that is like it", () =>
    Effect.gen(function*() {
      const letter = yield* run("up", "-d")
      assert.include(letter.stderr, "Unrecognized flag: -d in command svc up\n\nUsage:")
      assert.match((yield* run("up", "--fil")).stderr, /--fil in command svc up\s+Did you mean this\?\s+--file/)
    }))

  it("every command takes --json", () => {
    const commands = commandsOf(Completions.fromCommand(svc))
    assert.isAbove(commands.length, 30)
    assert.deepStrictEqual(commands.filter(([, flags]) => !flags.includes("json")).map(([command]) => command), [])
  })

  it.effect("a flag without a value leaves the next word alone, whatever that is", () =>
    Effect.gen(function*() {
      for (const word of ["on", "off", "true", "no", "0"]) {
        const { stderr } = yield* run("completions", "--json", word)
        assert.include(stderr, `<shell>: "${word}"`)
      }
      assert.strictEqual((yield* run("completions", "bash", "--no-json")).code, 2)
    }))

  it.effect("what follows -- is not a flag", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* run("completions", "--", "--json")
      assert.strictEqual(code, 2)
      assert.include(stderr, "<shell>: \"--json\"")
    }))

  it.effect("the output is one document even after an unexpected error", () =>
    Effect.gen(function*() {
      const at = yield* place
      const broken = {
        files: (files: FileSystem.FileSystem) => ({ ...files, readFile: () => Effect.die(new Error("odd")) })
      }
      const ran = yield* cli(["status", "--json"], at, broken)
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "odd")
    }))

  it.effect("the output with --json is exactly one document, in ASCII", () =>
    Effect.gen(function*() {
      const ran = yield* run("completions", "fish", "--json")
      assert.strictEqual(ran.code, 0)
      assert.strictEqual(documentOf<{ shell: string }>(ran).shell, "fish")
      assert.match(ran.stdout, /^[\n -~]*\n$/)
      assert.isTrue(ran.stdout.startsWith("{\n  \"shell\""))
    }))
})
