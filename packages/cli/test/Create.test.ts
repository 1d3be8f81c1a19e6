// create: what is cloned, what is refused, and that nothing half made is left behind. git is the real one, on
// repositories of this machine, unless a test is about a git that misbehaves.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { systemError } from "effect/PlatformError"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { cli, documentOf, type Machine, type Place, place } from "./Cli.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...args], {
    cwd,
    stdio: "ignore"
  })

/** A repository under the folder of templates, with what `fill` puts into it. */
const template = (at: Place, name: string, fill: (folder: string) => void = () => undefined): string => {
  const folder = join(at.home, "templates", name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "README.md"), `# ${name}\n`)
  fill(folder)
  git(folder, "init")
  git(folder, "add", "-A")
  git(folder, "commit", "-m", "first")
  return folder
}

const withExample = (folder: string) => writeFileSync(join(folder, "example.env"), "KEY=\n")

const offline = (at: Place, machine: Machine = {}): Machine => ({
  ...machine,
  variables: { PLATFORM_TEMPLATES_URL: join(at.home, "templates"), ...machine.variables }
})

const made = <A>(use: (at: Place) => Effect.Effect<A>) => Effect.flatMap(place, use)

const poll = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
  })

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
        assert.isFalse(existsSync(join(at.bin, "called")))
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
        const ran = yield* cli(["create", "mine", "--json"], at, { variables: { PATH: at.bin } })
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
          assert.include(documentOf(ran).error, name === "agentos-gcp" ? "no file" : "symlinked")
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
        const ran = yield* cli(["create", "mine", "--json"], at)
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
        const fiber = yield* Effect.forkChild(cli(["create", "mine", "--json"], at), { startImmediately: true })
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
        const fiber = yield* Effect.forkChild(cli(["create", "mine"], at))
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
        const ran = yield* cli(["create", "mine", "--json"], at, stuck)
        assert.include(documentOf(ran).error, "git clone failed")
        assert.include(documentOf(ran).hint ?? "", join(at.cwd, "mine"))
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
        const { asked, code } = yield* cli(["create"], at, offline(at, { terminal: true, replies }))
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(asked.map((text) => text.split(":")[0]), [
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
        const { asked, code } = yield* cli(given, at, offline(at, { terminal: true, replies: [""] }))
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(asked, ["Project name"])
        assert.isTrue(existsSync(join(at.cwd, "agentos")))
      })
    ))

  it.effect("a bad template fails before any question, and leaving a question ends with 1", () =>
    made((at) =>
      Effect.gen(function*() {
        const bad = yield* cli(["create", "--template", "nothing"], at, { terminal: true })
        assert.strictEqual(bad.code, 2)
        assert.deepStrictEqual(bad.asked, [])
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
