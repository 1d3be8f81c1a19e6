// create: what is cloned, what is refused, and that nothing half made is left behind. git is the real one, on
// repositories of this machine, unless a test is about a git that misbehaves.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf } from "./Cli.ts"
import { made, offline, template, withExample } from "./Templates.ts"

Tier.oneIn(12)

describe("a project", () => {
  it.live("a project is a clone of the default template without its history, with settings only its owner can read", () =>
    made((at) =>
      Effect.gen(function*() {
        template(at, "agentos-docker", withExample)
        const before = process.umask(0)
        const ran = yield* cli(["create", "mine", "--json"], at, offline(at))
        process.umask(before)
        const directory = join(at.cwd, "mine")
        assert.strictEqual(ran.code, 0)
        assert.deepStrictEqual(documentOf(ran), { path: directory, template: "agentos-docker" } as never)
        assert.deepStrictEqual(readdirSync(directory).toSorted(), [".env", "README.md", "example.env"])
        assert.strictEqual(readFileSync(join(directory, ".env"), "utf8"), "KEY=\n")
        assert.strictEqual(statSync(join(directory, ".env")).mode & 0o777, 0o600)
      })
    ))

  it.live("the output names the next steps, with an example or without", () =>
    made((at) =>
      Effect.gen(function*() {
        template(at, "agentos-docker", withExample)
        template(at, "agentos-fly")
        const first = yield* cli(["create", "one"], at, offline(at))
        for (const text of ["Created one", "one/.env", "cd one", "svc up"]) assert.include(first.stdout, text)
        const second = yield* cli(["create", "two", "-t", "agentos-fly"], at, offline(at))
        assert.include(second.stdout, "No example.env found")
      })
    ))

  it.live("a project is cloned from any repository with --url, which wins over --template", () =>
    made((at) =>
      Effect.gen(function*() {
        const own = template(at, "own")
        const ran = yield* cli(["create", "mine", "--url", own, "--template", "nothing", "--json"], at)
        assert.deepStrictEqual(documentOf(ran), { path: join(at.cwd, "mine"), template: own } as never)
        assert.isTrue(existsSync(join(at.cwd, "mine", "README.md")))
        template(at, "agentos-docker")
        const empty = yield* cli(["create", "other", "--url", "", "--json"], at, offline(at))
        assert.strictEqual(documentOf<{ template: string }>(empty).template, "agentos-docker")
      })
    ))

  it.live("an .env file of the template is kept", () =>
    made((at) =>
      Effect.gen(function*() {
        template(at, "agentos-docker", (folder) => {
          withExample(folder)
          writeFileSync(join(folder, ".env"), "OWN=1\n")
        })
        yield* cli(["create", "mine"], at, offline(at))
        assert.strictEqual(readFileSync(join(at.cwd, "mine", ".env"), "utf8"), "OWN=1\n")
      })
    ))
})

describe("at a terminal", () => {
  it.live("the command asks for template and name, and for the name again until it is free", () =>
    made((at) =>
      Effect.gen(function*() {
        template(at, "agentos-fly")
        at.write("taken/x", "")
        const replies = ["agentos-fly", "a b", "taken", "mine"]
        const { questions, code } = yield* cli(["create"], at, offline(at, { terminal: true, replies }))
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(questions.map((text) => text.split(":")[0]), [
          "Template",
          "Project name",
          "Invalid project name",
          "Project name",
          `${join(at.cwd, "taken")} already exists`,
          "Project name"
        ])
        assert.isTrue(existsSync(join(at.cwd, "mine", "README.md")))
      })
    ))

  it.live("the default name is agentos, and the command does not ask for a template that was named", () =>
    made((at) =>
      Effect.gen(function*() {
        template(at, "agentos-aws")
        const given = ["create", "--template", "agentos-aws"]
        const { questions, code } = yield* cli(given, at, offline(at, { terminal: true, replies: [""] }))
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(questions, ["Project name"])
        assert.isTrue(existsSync(join(at.cwd, "agentos")))
      })
    ))

  it.effect("a bad template fails before any question, and leaving a question ends with 1", () =>
    made((at) =>
      Effect.gen(function*() {
        const bad = yield* cli(["create", "--template", "nothing"], at, { terminal: true })
        assert.strictEqual(bad.code, 2)
        assert.deepStrictEqual(bad.questions, [])
        const left = yield* cli(["create"], at, { terminal: true, replies: ["leave"] })
        assert.strictEqual(left.code, 1)
        assert.strictEqual(left.stderr, "Aborted.\n")
      })
    ))

  it.effect("the help text has the defaults", () =>
    made((at) =>
      Effect.gen(function*() {
        const { stdout } = yield* cli(["create", "--help"], at)
        assert.match(stdout, /default: agentos\b/)
        assert.include(stdout, "default: agentos-docker")
      })
    ))
})
