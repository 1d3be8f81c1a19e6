// `svc create`: what it refuses, and what it leaves when cloning fails.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import { systemError } from "effect/PlatformError"
import { TestClock } from "effect/testing"
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf, type Machine, type Place } from "./Cli.ts"
import { made, offline, template, withExample } from "./Templates.ts"

Tier.oneIn(8)

/** Nothing is there: the git of these tests misbehaves before it looks. */
const address = "/nowhere/template.git"

const poll = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
  })

describe("what is refused", () => {
  const shouting = (at: Place) => at.program("git", "touch \"$(dirname \"$0\")/called\"; exit 0")

  it.effect("a bad name and an unknown template are usage errors, and git never runs", () =>
    made((at) =>
      Effect.gen(function*() {
        shouting(at)
        for (
          const argv of [
            ["a/b"],
            [".."],
            ["a b"],
            [""],
            ["ä"],
            ["node_modules"],
            ["Node_Modules"],
            ["mine", "--template", "nothing"],
            ["mine", "--template", ""],
            ["mine", "more"]
          ]
        ) {
          const ran = yield* cli(["create", ...argv, "--json"], at)
          assert.strictEqual(ran.code, 2, argv.join(" "))
          assert.strictEqual(ran.stdout, "")
        }
        const unknown = yield* cli(["create", "mine", "-t", "nothing"], at)
        assert.include(unknown.stderr, "Unknown template")
        assert.include(unknown.stderr, "agentos-render")
        assert.include((yield* cli(["create", "a/b"], at)).stderr, "Invalid project name")
        assert.include(
          (yield* cli(["create", "node_modules"], at)).stderr,
          "npm and git ignore a directory of this name"
        )
        assert.isFalse(existsSync(join(at.bin, "called")))
      })
    ))

  it.effect("a name that is too long is refused with that reason", () =>
    made((at) =>
      Effect.gen(function*() {
        const ran = yield* cli(["create", "a".repeat(300), "--json"], at)
        assert.strictEqual(ran.code, 1)
        assert.include(documentOf(ran).error, "the name is too long")
      })
    ))

  it.live("an example.env that is no file is left alone", () =>
    made((at) =>
      Effect.gen(function*() {
        const repository = template(at, "agentos-docker", (folder) => {
          mkdirSync(join(folder, "example.env"))
          writeFileSync(join(folder, "example.env", "README.md"), "")
        })
        const ran = yield* cli(["create", "mine", "--url", repository, "--json"], at)
        assert.strictEqual(ran.code, 0, ran.stdout)
        assert.isFalse(existsSync(join(at.cwd, "mine", ".env")))
      })
    ))

  it.effect("a directory, a file or a dangling link of the same name is refused", () =>
    made((at) =>
      Effect.gen(function*() {
        shouting(at)
        mkdirSync(join(at.cwd, "folder"))
        at.write("file", "")
        symlinkSync("nowhere", join(at.cwd, "link"))
        for (const name of ["folder", "file", "link"]) {
          const ran = yield* cli(["create", name, "--json"], at)
          assert.strictEqual(ran.code, 1)
          assert.include(documentOf(ran).error, "already exists")
          assert.isString(documentOf(ran).hint)
        }
        assert.isFalse(existsSync(join(at.bin, "called")))
        assert.isTrue(lstatSync(join(at.cwd, "link")).isSymbolicLink())
      })
    ))

  it.effect("a script has to give the name", () =>
    made((at) =>
      Effect.gen(function*() {
        for (const machine of [{}, { terminal: true }]) {
          const ran = yield* cli(["create", "--json"], at, machine)
          assert.strictEqual(ran.code, 1)
          assert.include(documentOf(ran).error, "project name is required")
        }
        const { code, stderr } = yield* cli(["create"], at)
        assert.strictEqual(code, 1)
        assert.include(stderr, "svc create <name>")
      })
    ))

  it.effect("the command does nothing when git is missing", () =>
    made((at) =>
      Effect.gen(function*() {
        const ran = yield* cli(["create", "mine", "--url", address, "--json"], at, { variables: { PATH: at.bin } })
        assert.include(documentOf(ran).error, "git is required")
        assert.deepStrictEqual(readdirSync(at.cwd), [])
      })
    ))

  it.live("a link in the place of secrets is refused, dangling or not, every time, and nothing is left", () =>
    made((at) =>
      Effect.gen(function*() {
        const secret = join(at.home, "secret")
        writeFileSync(secret, "SECRET=1\n")
        template(at, "agentos-docker", (folder) => symlinkSync(secret, join(folder, "example.env")))
        template(at, "agentos-aws", (folder) => {
          withExample(folder)
          symlinkSync(join(at.home, "nowhere"), join(folder, ".env"))
        })
        template(at, "agentos-gcp", (folder) => {
          withExample(folder)
          mkdirSync(join(folder, ".env"))
          writeFileSync(join(folder, ".env", "x"), "")
        })
        for (const name of ["agentos-docker", "agentos-docker", "agentos-aws", "agentos-gcp"]) {
          const ran = yield* cli(["create", "mine", "-t", name, "--json"], at, offline(at))
          assert.strictEqual(ran.code, 1)
          assert.include(documentOf(ran).error, name === "agentos-gcp" ? "not a regular file" : "symlinked")
          assert.deepStrictEqual(readdirSync(at.cwd), [])
        }
        assert.isFalse(existsSync(join(at.home, "nowhere")))
      })
    ))
})

describe("when cloning goes wrong", () => {
  it.live("the error of git is shown, and nothing is left", () =>
    made((at) =>
      Effect.gen(function*() {
        at.program(
          "git",
          "eval last=\\${$#}; echo half > \"$last/half\"; echo 'fatal: no such repository' >&2; exit 128"
        )
        const ran = yield* cli(["create", "mine", "--url", address, "--json"], at)
        assert.strictEqual(ran.code, 1)
        assert.include(documentOf(ran).error, "git clone failed: fatal: no such repository")
        assert.deepStrictEqual(readdirSync(at.cwd), [])
      })
    ))

  it.live("an address that looks like an option of git is used as an address", () =>
    made((at) =>
      Effect.gen(function*() {
        const ran = yield* cli(["create", "mine", "--url=--upload-pack=touch /tmp/owned", "--json"], at)
        assert.strictEqual(ran.code, 1)
        assert.include(documentOf(ran).error, "git clone failed")
      })
    ))

  it.effect("git is ended after 300 seconds, and nothing is left", () =>
    made((at) =>
      Effect.gen(function*() {
        at.program("git", "touch \"$(dirname \"$0\")/called\"; sleep 60")
        const fiber = yield* Effect.forkChild(cli(["create", "mine", "--url", address, "--json"], at), {
          startImmediately: true
        })
        yield* poll(() => existsSync(join(at.bin, "called")))
        assert.deepStrictEqual(readdirSync(at.cwd), ["mine"])
        yield* TestClock.adjust("300 seconds")
        const ran = yield* Fiber.join(fiber)
        assert.strictEqual(ran.code, 1)
        assert.include(documentOf(ran).error, "did not finish within")
        assert.deepStrictEqual(readdirSync(at.cwd), [])
      })
    ))

  it.live("an interrupted run leaves nothing behind", () =>
    made((at) =>
      Effect.gen(function*() {
        at.program("git", "touch \"$(dirname \"$0\")/called\"; sleep 60")
        const fiber = yield* Effect.forkChild(cli(["create", "mine", "--url", address], at))
        yield* poll(() => existsSync(join(at.bin, "called")))
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(readdirSync(at.cwd), [])
      })
    ))

  it.live("the hint names what is left when removing it fails too", () =>
    made((at) =>
      Effect.gen(function*() {
        at.program("git", "exit 1")
        const stuck: Machine = {
          files: (files) => ({
            ...files,
            remove: () => Effect.fail(systemError({ _tag: "PermissionDenied", module: "FileSystem", method: "remove" }))
          })
        }
        const ran = yield* cli(["create", "mine", "--url", address, "--json"], at, stuck)
        assert.include(documentOf(ran).error, "git clone failed")
        assert.include(documentOf(ran).hint ?? "", join(at.cwd, "mine"))
      })
    ))
})
