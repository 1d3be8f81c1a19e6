// Executes the steps of a Dockerfile without a container engine: each stage is a folder, its programs run in there, and
// only files that .dockerignore lets through are copied. What a container isolates beside files is not tried.
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"

interface Step {
  readonly instruction: string
  readonly text: string
}

/** The steps of a Dockerfile in their order. */
export const stepsOf = (dockerfile: string): ReadonlyArray<Step> =>
  dockerfile.replaceAll(/^\s*#.*\n/gm, "").replaceAll(/\\\n/g, " ").split("\n").flatMap((line) => {
    const [, instruction, text] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
    return instruction === undefined || text === undefined ? [] : [{ instruction, text }]
  })

/** What the engine would send: everything is left out except what `!` names. */
const isSent = (ignored: string) => {
  const lines = ignored.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  if (lines[0] !== "*") throw new Error(".dockerignore does not begin with *, so secrets could be sent")
  const names = lines.slice(1).map((line) => line.replace(/^!/, ""))
  return (file: string) => names.some((name) => file === name || file.startsWith(`${name}/`))
}

interface Stage {
  readonly root: string
  directory: string
  readonly env: Record<string, string>
  user: string
  command: ReadonlyArray<string>
}

/** Builds the image of a project in `target`. */
export const build = (project: string, target: string, env: Readonly<Record<string, string>>) => {
  const stages = new Map<string, Stage>()
  const sent = isSent(readFileSync(join(project, ".dockerignore"), "utf8"))
  let stage: Stage | undefined
  const current = (): Stage => {
    if (stage === undefined) throw new Error("The Dockerfile does not begin with FROM")
    return stage
  }
  const inside = ({ directory, root }: Stage, path: string) =>
    join(root, isAbsolute(path) ? path : join(directory, path))
  const copy = (words: ReadonlyArray<string>) => {
    const from = words[0]?.startsWith("--from=") === true ? words[0].slice("--from=".length) : undefined
    const paths = from === undefined ? words : words.slice(1)
    const to = inside(current(), paths.at(-1) ?? "")
    const source = from === undefined ? undefined : stages.get(from)
    mkdirSync(to, { recursive: true })
    for (const pattern of paths.slice(0, -1)) {
      if (source !== undefined) {
        cpSync(inside(source, pattern), to, { recursive: true, verbatimSymlinks: true })
        continue
      }
      const files = globSync(pattern, { cwd: project }).filter((file) => sent(file.replaceAll("\\", "/")))
      if (files.length === 0) throw new Error(`COPY finds no ${pattern}`)
      // the engine copies the contents of a folder, and not the folder
      for (const file of files) {
        const isFile = /[*.]/.test(pattern)
        cpSync(join(project, file), isFile ? join(to, file) : to, { recursive: true })
      }
    }
  }
  for (const { instruction, text } of stepsOf(readFileSync(join(project, "Dockerfile"), "utf8"))) {
    const words = text.split(/\s+/)
    if (instruction === "FROM") {
      const name = words[1] === "AS" ? words[2] ?? "" : "last"
      stage = { root: join(target, name), directory: "/", env: {}, user: "root", command: [] }
      stages.set(name, stage)
      mkdirSync(stage.root, { recursive: true })
    } else if (instruction === "WORKDIR") {
      current().directory = text
      mkdirSync(inside(current(), "."), { recursive: true })
    } else if (instruction === "COPY") copy(words)
    else if (instruction === "ENV") {
      for (const word of words) {
        const [name = "", ...value] = word.split("=")
        current().env[name] = value.join("=")
      }
    } else if (instruction === "USER") current().user = text
    else if (instruction === "CMD") current().command = JSON.parse(text) as ReadonlyArray<string>
    else if (instruction === "RUN") {
      // folders of the image that are not in the work directory are made where the stage is
      const shell = text.replaceAll(/(?<=\s)\/data\b/g, join(current().root, "data"))
        .replaceAll(/chown \S+/g, "true")
      mkdirSync(dirname(inside(current(), ".")), { recursive: true })
      execFileSync("sh", ["-c", shell], {
        cwd: inside(current(), "."),
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, ...current().env, ...env }
      })
    }
  }
  const { command, env: variables, user } = current()
  return { directory: inside(current(), "."), command, env: variables, user, data: join(current().root, "data") }
}
