// Recipes that are programs of their own, executed as processes in the root of the repository.
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

const root = join(import.meta.dirname, "..", "..", "..", "..")

export const recipes = join(root, "packages", "examples", "src", "recipes")

type Variables = Readonly<Record<string, string>>

const ran = (command: string, args: ReadonlyArray<string>, variables: Variables) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve, reject) => {
    const { HOME = tmpdir(), PATH = "", TMPDIR = tmpdir() } = process.env
    const child = spawn(command, args, {
      cwd: root,
      env: { HOME, PATH, TMPDIR, ...variables },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (part) => stdout += String(part))
    child.stderr.on("data", (part) => stderr += String(part))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

export const node = (file: string, variables: Variables = {}, flags: ReadonlyArray<string> = []) =>
  ran(process.execPath, [...flags, join(recipes, file)], variables)

export const python = (file: string, variables: Variables) =>
  ran("python3", [join(recipes, file)], { PYTHONPATH: join(root, "clients", "python"), ...variables })

/** A folder for PATH with the command `svc`. */
const tool = () => {
  const bin = mkdtempSync(join(tmpdir(), "recipe-bin-"))
  const file = join(bin, "svc")
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "packages/cli/src/bin.ts")}" "$@"\n`)
  chmodSync(file, 0o755)
  return bin
}

const path = () => ({ PATH: [tool(), process.env["PATH"]].join(delimiter) })

export const svc = (args: ReadonlyArray<string>, variables: Variables) => ran("svc", args, { ...path(), ...variables })

export const shell = (file: string, variables: Variables = {}) =>
  ran("sh", [join(recipes, file)], { ...path(), ...variables })
