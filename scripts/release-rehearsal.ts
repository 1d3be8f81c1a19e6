// `npm run build -- rehearsal`: a release from its first step to its last, against a registry on this machine. It
// publishes, creates a project with `npm create`, builds its image both ways, publishes a next version and upgrades.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as ImageSteps from "./release/ImageSteps.ts"
import * as LocalRegistry from "./release/LocalRegistry.ts"
import { pack } from "./release/Packing.ts"
import { tarballsOf } from "./release/Tarballs.ts"
import { raise } from "./release/Version.ts"

const folder = mkdtempSync(join(tmpdir(), "svc-rehearsal-"))
const registry = await LocalRegistry.start()

const run = (cwd: string, program: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...registry.env }
  })

const publish = (tarballs: string): string =>
  run(folder, process.execPath, join(import.meta.dirname, "release-publish.ts"), tarballs)

const expect = (isRight: boolean, sentence: string): void => {
  if (!isRight) throw new Error(`It is not true that ${sentence}`)
}

let began = Date.now()
const step = (sentence: string): void => {
  console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${sentence}`)
  began = Date.now()
}

/** Starts a service, sends a run to its agent, and gives what the service has stored. */
const tried = async (cwd: string, command: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const [program = "", ...args] = command
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env, HOST: "127.0.0.1", PORT: "0" }
  })
  let output = ""
  const ended = once(child, "close").then(() => "")
  const listens = new Promise<string>((resolve) =>
    [child.stdout, child.stderr].forEach((stream) =>
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
        const [, url] = /listens on (http:\/\/[^\s"(]+)/.exec(output) ?? []
        if (url !== undefined) resolve(url)
      })
    )
  )
  const url = await Promise.race([listens, ended])
  expect(url !== "", `the service starts:\n${output}`)
  try {
    const form = new FormData()
    form.set("message", "What is the weather in Paris?")
    form.set("stream", "false")
    const response = await fetch(`${url}/agents/assistant/runs`, { method: "POST", body: form })
    const { status } = await response.json() as { readonly status: string }
    expect(status === "COMPLETED", `the agent answers: ${status}`)
    const sessions = await (await fetch(`${url}/sessions?type=agent`)).json() as {
      readonly data: ReadonlyArray<unknown>
    }
    return { sessions: sessions.data.length, version: /Svc (\S+) listens/.exec(output)?.[1] }
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

const triedImage = async (project: string, name: string) => {
  const image = ImageSteps.build(project, join(folder, name), registry.env)
  expect(image.user !== "root", "the image does not run as root")
  return await tried(image.directory, image.command, { ...image.env, DATA_DIR: image.data })
}

/** The same packages in the next version. */
const packedNext = (from: string, to: string, current: string, next: string): void => {
  mkdirSync(to)
  for (const { file } of tarballsOf(from)) {
    const unpacked = join(folder, "unpacked", basename(file, ".tgz"))
    mkdirSync(unpacked, { recursive: true })
    run(unpacked, "tar", "-xzf", file)
    for (const manifest of globSync("package/{,templates/*/}package.json", { cwd: unpacked })) {
      const path = join(unpacked, manifest)
      writeFileSync(path, raise(readFileSync(path, "utf8"), current, next))
    }
    run(to, "npm", "pack", "--silent", join(unpacked, "package"))
  }
}

try {
  const tarballs = join(folder, "tarballs")
  await pack(tarballs)
  const { version } = tarballsOf(tarballs)[0] ?? { version: "" }
  step(`packages of ${version} are packed`)

  const count = tarballsOf(tarballs).length
  expect(publish(tarballs).includes(`${count} packages are in the registry`), "all packages are published")
  step(`${count} packages are published`)
  expect(
    (publish(tarballs).match(/is published already/g) ?? []).length === count,
    "a repeated publication changes nothing"
  )
  step("a repeated publication changes nothing")

  const empty = join(folder, "empty")
  mkdirSync(empty)
  run(empty, "npm", "create", "--yes", "@svc-runtime", "mine", "--", "--template", "minimal", "--json")
  const project = join(empty, "mine")
  step("npm create @svc-runtime mine makes a project in an empty folder")
  const untouched = join(folder, "untouched")
  cpSync(project, untouched, { recursive: true })
  run(project, "npm", "install", "--no-audit", "--no-fund")
  step("npm install gets its packages from the registry")
  run(project, "npm", "test")
  run(project, "npm", "run", "check")
  step("its test passes, and its types are right")
  const data = join(folder, "data")
  const start = ["node", "src/index.ts"]
  expect((await tried(project, start, { DATA_DIR: data })).sessions === 1, "the first run has a session")
  step("its service starts, and its agent answers")

  expect((await triedImage(untouched, "published")).version === version, "the image has the published version")
  step("the steps of its Dockerfile make an image that answers")
  const tool = join(project, "node_modules", ".bin", "svc")
  run(empty, tool, "create", "vendored", "--template", "minimal", "--packages", tarballs, "--json")
  expect(
    (await triedImage(join(empty, "vendored"), "vendored")).version === version,
    "the image has the packed version"
  )
  step("so do those of a project whose packages travel with it")

  const next = version.replace(/\d+$/, (patch) => String(Number(patch) + 1))
  packedNext(tarballs, join(folder, "next"), version, next)
  publish(join(folder, "next"))
  step(`${next} is published`)
  run(project, "npm", "update", "--no-audit", "--no-fund")
  const { version: installed } = JSON.parse(
    readFileSync(join(project, "node_modules", "@svc-runtime", "server", "package.json"), "utf8")
  ) as { readonly version: string }
  expect(installed === next, `npm update installs ${next}, not ${installed}`)
  expect((await tried(project, start, { DATA_DIR: data })).sessions === 2, "the session of before the upgrade is there")
  step("npm update upgrades the project, and its sessions are still there")
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await registry.stop()
  rmSync(folder, { recursive: true, force: true })
}
