// The packages as they are published, in a project of their user.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, inject, it } from "vitest"
import { nameOf } from "../../../../scripts/publishing.ts"
import { problemsOf } from "../../../../scripts/release/Checking.ts"
import { emptyFolder, install, run, serve, write } from "./Consumer.ts"

const source = `import { Agent, serve, Tool } from "${nameOf("server")}"
import { z } from "zod"

const weather = Tool.make({
  name: "weather",
  description: "The weather in a city",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => \`It is sunny in \${city}.\`
})

serve({ agents: [Agent.make({ id: "assistant", instructions: "Be brief.", tools: [weather] })] })
`

const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../../package.json"), "utf8"))
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"))
const tarballs = inject("tarballs")

const manifest = {
  name: "mine",
  private: true,
  type: "module",
  dependencies: { ...Object.fromEntries(Object.keys(tarballs).map((name) => [name, version])), zod: "4.6.7" },
  devDependencies: { "@types/node": devDependencies["@types/node"], typescript: devDependencies.typescript }
}

const compilerOptions = { target: "es2024", strict: true, noEmit: true, skipLibCheck: true, types: ["node"] }

const project = emptyFolder()

beforeAll(() => {
  write(project, {
    "package.json": JSON.stringify(manifest),
    "index.ts": source,
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["index.ts"] })
  })
  install(project)
})

/** Patterns stand for all files that they match. */
const entriesOf = (name: string): ReadonlyArray<string> => {
  const folder = join(project, "node_modules", name)
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return Object.keys(exports).filter((entry) => exports[entry] !== null && entry !== "./package.json").flatMap((
    entry
  ) =>
    entry.includes("*")
      ? globSync(`dist/${entry.slice("./".length, -1)}**/*.js`, { cwd: folder, exclude: ["dist/internal/**"] }).map((
        file
      ) => `${name}/${file.slice("dist/".length, -".js".length)}`)
      : [join(name, entry)]
  )
}

/** An entry point that executes another program: a created project uses it in `npm run dev`. */
const executesProgram = /\/server\/dev$/

describe("the packages", () => {
  it.each(Object.keys(tarballs))("the package %s has no problem that publint or attw finds", async (name) => {
    assert.deepStrictEqual(await problemsOf(tarballs[name] ?? ""), [])
  })

  it("node imports each entry point", async () => {
    const entries = Object.keys(tarballs).flatMap(entriesOf).filter((entry) => !executesProgram.test(entry))
    assert.isAbove(entries.length, 100)
    write(project, { "all.js": entries.map((entry) => `import ${JSON.stringify(entry)}`).join("\n") })
    assert.deepStrictEqual(await run(project, process.execPath, "all.js"), { code: 0, output: "" })
  })

  it.each([["nodenext", "nodenext"], ["esnext", "bundler"]])(
    "the types are right for a project with module %s and moduleResolution %s",
    async (module, moduleResolution) => {
      const checked = await run(project, "tsc", "--module", module, "--moduleResolution", moduleResolution)
      assert.deepStrictEqual(checked, { code: 0, output: "" })
    }
  )

  it("a service starts on plain Node, answers a run and stops", async () => {
    const service = await serve(project, process.execPath, "index.ts")
    const body = new FormData()
    body.set("message", "What is the weather in Paris?")
    body.set("stream", "false")
    const page = await (await fetch(`${service.url}/console/`)).text()
    const script = /src="([^"]+\.js)"/.exec(page)?.[1]
    assert.strictEqual((await fetch(`${service.url}/console/${script}`)).status, 200)
    const response = await fetch(`${service.url}/agents/assistant/runs`, { method: "POST", body })
    assert.strictEqual(response.status, 200)
    assert.include(await response.text(), "It is sunny in Paris.")
    assert.strictEqual((await service.stop()).code, 0)
  })
})
