// Templates of projects that `svc create` clones, without a network.
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Machine, type Place, place } from "./Cli.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...args], {
    cwd,
    stdio: "ignore"
  })

/** A repository under the folder of templates, with what `fill` puts into it. */
export const template = (at: Place, name: string, fill: (folder: string) => void = () => undefined): string => {
  const folder = join(at.home, "templates", name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "README.md"), `# ${name}\n`)
  fill(folder)
  git(folder, "init")
  git(folder, "add", "-A")
  git(folder, "commit", "-m", "first")
  return folder
}

export const withExample = (folder: string) => writeFileSync(join(folder, "example.env"), "KEY=\n")

export const offline = (at: Place, machine: Machine = {}): Machine => ({
  ...machine,
  variables: { PLATFORM_TEMPLATES_URL: join(at.home, "templates"), ...machine.variables }
})

export const made = <A>(use: (at: Place) => Effect.Effect<A>) => Effect.flatMap(place, use)
