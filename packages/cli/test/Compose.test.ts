// up, down and restart: which file, which command, and what happens to it. The compose tool is a shell script on the
// PATH that writes down how it was called.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf, type Place, place } from "./Cli.ts"

Tier.oneIn(10)

const file = "services: {}\n"

interface Call {
  readonly command: ReadonlyArray<string>
  readonly compose_file: string
  readonly dry_run: boolean
}

/** What docker was called with, one line each: the directory, then the arguments. */
const calls = (at: Place): ReadonlyArray<string> =>
  existsSync(join(at.bin, "calls")) ? readFileSync(join(at.bin, "calls"), "utf8").trim().split("\n") : []

const project = (script = "exit 0") =>
  Effect.map(place, (at) => {
    at.write("docker-compose.yml", file)
    at.program("docker", `echo "$PWD|$*" >> "$(dirname "$0")/calls"\n${script}`)
    return at
  })

describe("the compose file", () => {
  it.effect("the compose file is the first of the four names here, then in infra", () =>
    Effect.gen(function*() {
      const at = yield* place
      const order = [
        "infra/compose.yaml",
        "infra/compose.yml",
        "infra/docker-compose.yaml",
        "infra/docker-compose.yml",
        "compose.yaml",
        "compose.yml",
        "docker-compose.yaml",
        "docker-compose.yml"
      ]
      // each one takes precedence over the files written before it
      for (const name of order) {
        at.write(name, file)
        const { compose_file } = documentOf<Call>(yield* cli(["up", "--dry-run", "--json"], at))
        assert.strictEqual(compose_file, join(at.cwd, name))
      }
    }))

  it.effect("the compose file is the one that --file names, as it was written", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write("deploy/own.yml", file)
      const ran = yield* cli(["up", "-f", "deploy/../deploy/own.yml", "--dry-run", "--json"], at)
      assert.strictEqual(documentOf<Call>(ran).compose_file, `${at.cwd}/deploy/../deploy/own.yml`)
      const absolute = yield* cli(["up", "--file", join(at.cwd, "deploy/own.yml"), "--dry-run", "--json"], at)
      assert.strictEqual(documentOf<Call>(absolute).compose_file, join(at.cwd, "deploy/own.yml"))
    }))

  it.effect("the command fails when the compose file is missing", () =>
    Effect.gen(function*() {
      const at = yield* place
      const none = yield* cli(["up", "--json"], at)
      assert.strictEqual(none.code, 1)
      assert.include(documentOf(none).error, "No compose file found")
      for (const text of ["svc create", "--file"]) assert.include(documentOf(none).hint ?? "", text)
      const missing = yield* cli(["down", "--file", "nothing.yml", "--json"], at)
      assert.strictEqual(missing.code, 1)
      assert.include(documentOf(missing).error, "Compose file not found")
      const attached = yield* cli(["down", "-fnothing.yml", "--json"], at)
      assert.include(documentOf(attached).error, `Compose file not found: ${at.cwd}/nothing.yml`)
      const empty = yield* cli(["down", "--file", "", "--json"], at)
      assert.include(documentOf(empty).error, "No compose file found")
    }))
})

describe("the command", () => {
  it.live("up builds and starts, in the directory of the file", () =>
    Effect.gen(function*() {
      const at = yield* project()
      at.write("infra/own.yml", file)
      const ran = yield* cli(["up", "--file", "infra/own.yml", "--pull", "--json"], at)
      const path = join(at.cwd, "infra/own.yml")
      assert.strictEqual(ran.code, 0)
      assert.deepStrictEqual(documentOf(ran), {
        command: ["docker", "compose", "-f", path, "up", "-d", "--build", "--pull", "always"],
        compose_file: path,
        dry_run: false
      } as never)
      assert.deepStrictEqual(calls(at), [`${join(at.cwd, "infra")}|compose -f ${path} up -d --build --pull always`])
    }))

  it.live("down removes volumes only with its flag", () =>
    Effect.gen(function*() {
      const at = yield* project()
      const path = join(at.cwd, "docker-compose.yml")
      yield* cli(["down"], at)
      yield* cli(["down", "-v"], at)
      assert.deepStrictEqual(calls(at), [
        `${at.cwd}|compose -f ${path} down`,
        `${at.cwd}|compose -f ${path} down --volumes`
      ])
    }))

  it.live("restart executes down, waits two seconds, and executes up; --pull is for up alone", () =>
    Effect.gen(function*() {
      const at = yield* project()
      const path = join(at.cwd, "docker-compose.yml")
      const started = Date.now()
      const ran = yield* cli(["restart", "-p", "--json"], at)
      assert.isAtLeast(Date.now() - started, 2000)
      const down = { command: ["docker", "compose", "-f", path, "down"], compose_file: path, dry_run: false }
      const up = {
        command: ["docker", "compose", "-f", path, "up", "-d", "--build", "--pull", "always"],
        compose_file: path,
        dry_run: false
      }
      assert.deepStrictEqual(documentOf(ran), { down, up, compose_file: path, dry_run: false } as never)
      assert.strictEqual(calls(at).length, 2)
    }))

  it.live("restart starts nothing when down fails", () =>
    Effect.gen(function*() {
      const at = yield* project("echo broken >&2; exit 14")
      const ran = yield* cli(["restart", "--json"], at)
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "docker compose exited with code 14: broken")
      assert.strictEqual(calls(at).length, 1)
    }))

  it.effect("a dry run prints the command and does not execute it, without docker and without waiting", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write("docker-compose.yml", file)
      const variables = { PATH: at.bin }
      for (const flag of ["-dr", "--dry-run"]) {
        const { code, stdout } = yield* cli(["up", flag], at, { variables })
        assert.strictEqual(code, 0)
        assert.strictEqual(
          stdout,
          `Would run: docker compose -f ${join(at.cwd, "docker-compose.yml")} up -d --build\n`
        )
      }
      const { stdout } = yield* cli(["restart", "-dr"], at, { variables })
      assert.strictEqual(stdout.trim().split("\n").length, 2)
      const document = documentOf<Call & { up: Call; down: Call }>(
        yield* cli(["restart", "-dr", "--json"], at, { variables })
      )
      assert.isTrue(document.dry_run && document.up.dry_run && document.down.dry_run)
    }))

  it.effect("the flag -dr is one flag: neither -d nor -drx is any", () =>
    Effect.gen(function*() {
      const at = yield* project()
      for (const argv of [["up", "-d"], ["up", "-drx"], ["down", "-rd"], ["up", "-dr=1"], ["up", "--dry-run=true"]]) {
        assert.strictEqual((yield* cli(argv, at)).code, 2, argv.join(" "))
      }
      assert.deepStrictEqual(calls(at), [])
    }))
})

describe("when it goes wrong", () => {
  it.effect("the command fails when docker is missing", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write("compose.yml", file)
      const ran = yield* cli(["up", "--json"], at, { variables: { PATH: at.bin } })
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "docker is required")
      assert.include(documentOf(ran).hint ?? "", "https://")
    }))

  it.live("the output of docker is in the document of a script and was streamed to a person, and the exit code is 1 for both", () =>
    Effect.gen(function*() {
      const at = yield* project("echo on stdout; echo 'no such image' >&2; exit 17")
      const script = yield* cli(["up", "--json"], at)
      assert.strictEqual(script.code, 1)
      assert.strictEqual(documentOf(script).error, "docker compose exited with code 17: no such image")
    }))

  it.live("the output of a successful command is not part of the document", () =>
    Effect.gen(function*() {
      const at = yield* project("echo on stdout; echo on stderr >&2")
      assert.isFalse(documentOf<Call>(yield* cli(["up", "--json"], at)).dry_run)
    }))

  it.effect("docker is ended after 600 seconds, and not before", () =>
    Effect.gen(function*() {
      const at = yield* project("sleep 60")
      const fiber = yield* Effect.forkChild(cli(["up", "--json"], at), { startImmediately: true })
      const started = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
      yield* Effect.repeat(started, { until: () => calls(at).length === 1 })
      yield* TestClock.adjust("599 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const ran = yield* Fiber.join(fiber)
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "did not finish within")
    }))

  it.live("an interrupted command ends with everything that it started", () =>
    Effect.gen(function*() {
      const at = yield* project("sleep 60 & echo $! > \"$(dirname \"$0\")/child\"; wait")
      const fiber = yield* Effect.forkChild(cli(["up", "--json"], at))
      const child = join(at.bin, "child")
      yield* Effect.sleep("10 millis").pipe(
        Effect.repeat({ until: () => existsSync(child) && readFileSync(child, "utf8").trim() !== "" })
      )
      yield* Fiber.interrupt(fiber)
      const pid = Number(readFileSync(child, "utf8"))
      assert.throws(() => process.kill(pid, 0))
    }))
})
