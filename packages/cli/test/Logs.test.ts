// `svc logs`: the output of the project's containers.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { cli, documentOf, place } from "./Cli.ts"

const project = (script: string) =>
  Effect.map(place, (at) => {
    at.write("compose.yml", "services: {}\n")
    at.program("docker", script)
    return at
  })

describe("svc logs", () => {
  it.effect("the output of docker compose logs is part of the document", () =>
    Effect.gen(function*() {
      const at = yield* project("echo \"$*\"")
      const ran = yield* cli(["logs", "--tail", "5", "--json"], at)
      assert.strictEqual(ran.code, 0)
      const file = join(at.cwd, "compose.yml")
      assert.deepStrictEqual(documentOf<object>(ran), {
        command: ["docker", "compose", "-f", file, "logs", "--tail", "5"],
        compose_file: file,
        dry_run: false,
        output: `compose -f ${file} logs --tail 5\n`
      })
    }))

  it.effect("a dry run prints the command, which shows 200 lines first by default", () =>
    Effect.gen(function*() {
      const at = yield* project("exit 1")
      const ran = yield* cli(["logs", "--follow", "-dr"], at)
      assert.strictEqual(ran.code, 0)
      assert.strictEqual(
        ran.stdout,
        `Would run: docker compose -f ${join(at.cwd, "compose.yml")} logs --tail 200 --follow\n`
      )
    }))

  it.effect("the error of docker is the error of the command", () =>
    Effect.gen(function*() {
      const ran = yield* cli(["logs", "--json"], yield* project("echo 'no such service' >&2; exit 3"))
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(documentOf(ran).error, "docker compose exited with code 3: no such service")
    }))
})
