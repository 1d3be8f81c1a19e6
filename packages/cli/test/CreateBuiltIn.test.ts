// create: the templates of the tool itself, which need no git and no network.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { nameOf } from "../../../scripts/publishing.ts"
import { names } from "../src/project/Templates.ts"
import { cli, documentOf, type Place } from "./Cli.ts"
import { made } from "./Templates.ts"

Tier.oneIn(2)

const common = [
  ".dockerignore",
  ".env",
  ".env.example",
  ".gitignore",
  "DEPLOY.md",
  "Dockerfile",
  "README.md",
  "package.json",
  "src/index.ts",
  "src/service.ts",
  "test/assistant.test.ts"
]

/** A script that creates a project where nothing is on the PATH. */
const created = (at: Place, name: string, template: string) =>
  cli(["create", name, "--template", template, "--json"], at, { variables: { PATH: at.bin } })

const filesOf = (directory: string): ReadonlyArray<string> =>
  globSync("**/*", { cwd: directory, exclude: (name) => name === "node_modules" })
    .concat(globSync("**/.*", { cwd: directory }))
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => statSync(join(directory, path)).isFile())

const deployed = {
  "agentos-docker": "docker-compose.yml",
  "agentos-aws": "task-definition.json",
  "agentos-azure": "containerapp.yaml",
  "agentos-fly": "fly.toml",
  "agentos-gcp": "service.yaml",
  "agentos-helm": "chart/templates/deployment.yaml",
  "agentos-modal": "DEPLOY.md",
  "agentos-railway": "railway.json",
  "agentos-render": "render.yaml",
  "minimal": "DEPLOY.md",
  "postgres": "docker-compose.yml"
} as const

describe("a template of the tool", () => {
  it.live("each template makes a project with settings, a test and an image, and the files of its platform", () =>
    made((at) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(Object.keys(deployed), [...names])
        for (const template of names) {
          const ran = yield* created(at, template, template)
          const directory = join(at.cwd, template)
          assert.deepStrictEqual(documentOf(ran), { path: directory, template } as never)
          const files = filesOf(directory)
          for (const file of [...common, deployed[template]]) assert.include(files, file, template)
          assert.notInclude(files, "_gitignore")
        }
      })
    ))

  it.live("the project has its name in every file, in the spelling that npm and platforms accept", () =>
    made((at) =>
      Effect.gen(function*() {
        yield* created(at, "My_Desk", "agentos-fly")
        const directory = join(at.cwd, "My_Desk")
        for (const file of filesOf(directory)) {
          assert.notInclude(readFileSync(join(directory, file), "utf8"), "svc-project", file)
        }
        assert.strictEqual(JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).name, "my-desk")
        assert.include(readFileSync(join(directory, "fly.toml"), "utf8"), "app = \"my-desk\"")
      })
    ))

  it.live("the settings are a copy of the example that only their owner can read, and git ignores them", () =>
    made((at) =>
      Effect.gen(function*() {
        yield* created(at, "mine", "postgres")
        const directory = join(at.cwd, "mine")
        const env = readFileSync(join(directory, ".env"), "utf8")
        assert.strictEqual(env, readFileSync(join(directory, ".env.example"), "utf8"))
        assert.match(env, /^DATABASE_URL=postgres:/m)
        assert.strictEqual(statSync(join(directory, ".env")).mode & 0o777, 0o600)
        assert.include(readFileSync(join(directory, ".gitignore"), "utf8").split("\n"), ".env")
      })
    ))

  it.live("the output names the commands that start the project", () =>
    made((at) =>
      Effect.gen(function*() {
        const ran = yield* cli(["create", "mine"], at)
        for (const text of ["Created mine\n", "cd mine", "npm install", "npm run dev"]) {
          assert.include(ran.stdout, text)
        }
        assert.match(ran.stdout, /^  npm install\n  npm run dev$/m)
        assert.include(ran.stdout, "--packages", "npm has no packages to install yet")
        assert.isTrue(existsSync(join(at.cwd, "mine", "docker-compose.yml")))
      })
    ))

  it.live("the output asks for no secret, because a demo model answers without a key", () =>
    made((at) =>
      Effect.gen(function*() {
        const ran = yield* cli(["create", "mine"], at)
        assert.notInclude(ran.stdout, "secret")
        assert.include(ran.stdout, "mine/.env")
        assert.include(ran.stdout, "demo model")
      })
    ))

  it.live("a project depends on published packages in the version of the tool", () =>
    made((at) =>
      Effect.gen(function*() {
        yield* created(at, "mine", "minimal")
        const manifest = JSON.parse(readFileSync(join(at.cwd, "mine", "package.json"), "utf8"))
        const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"))
        const own = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
          .filter(([name]) => name.startsWith("@svc"))
        assert.deepStrictEqual(
          own,
          [nameOf("client"), nameOf("server"), nameOf("cli"), nameOf("testing")].map((name) => [name, `^${version}`])
        )
      })
    ))

  it.live("packed packages travel with the project, and its manifest and its image name them", () =>
    made((at) =>
      Effect.gen(function*() {
        const folder = join(at.home, "packed")
        mkdirSync(folder)
        const parts = ["agents", "cli", "client", "create", "server", "testing"]
        for (const part of parts) writeFileSync(join(folder, `svc-runtime-${part}-0.1.0.tgz`), part)
        writeFileSync(join(folder, "other-1.0.0.tgz"), "other")
        for (const template of names) {
          const ran = yield* cli(["create", template, "-t", template, "--packages", folder], at)
          assert.strictEqual(ran.code, 0, ran.stderr)
          assert.notInclude(ran.stdout, "--packages")
          const directory = join(at.cwd, template)
          const read = (file: string) => readFileSync(join(directory, file), "utf8")
          const manifest = JSON.parse(read("package.json"))
          const file = (part: string) => `file:vendor/svc-runtime-${part}-0.1.0.tgz`
          assert.deepInclude(manifest.dependencies, {
            [nameOf("agents")]: file("agents"),
            [nameOf("client")]: file("client"),
            [nameOf("server")]: file("server")
          })
          assert.deepInclude(manifest.devDependencies, {
            [nameOf("cli")]: file("cli"),
            [nameOf("testing")]: file("testing")
          })
          assert.notInclude(JSON.stringify(manifest), "^0.1.0")
          assert.include(read("Dockerfile"), "COPY package*.json ./\nCOPY vendor vendor\n")
          assert.include(read(".dockerignore"), "\n!vendor\n")
          const vendored = parts.filter((part) => part !== "create").map((part) => `svc-runtime-${part}-0.1.0.tgz`)
          assert.deepStrictEqual(readdirSync(join(directory, "vendor")).toSorted(), vendored)
        }
      })
    ))

  it.live("a folder without packages, with two versions or for a cloned project is refused, and nothing is made", () =>
    made((at) =>
      Effect.gen(function*() {
        const folder = join(at.home, "packed")
        const refused = (...more: ReadonlyArray<string>) => cli(["create", "mine", "--packages", folder, ...more], at)
        assert.include((yield* refused()).stderr, "no such file or directory")
        mkdirSync(folder)
        assert.include((yield* refused()).stderr, "npm run build -- packages")
        for (const version of ["0.1.0", "0.2.0-beta.1"]) {
          writeFileSync(join(folder, `svc-runtime-server-${version}.tgz`), "")
        }
        assert.include((yield* refused()).stderr, "several versions: 0.1.0, 0.2.0-beta.1")
        const cloned = yield* refused("--url", "https://example.com/a.git")
        assert.strictEqual(cloned.code, 2)
        assert.include(cloned.stderr, "not for repositories")
        assert.isFalse(existsSync(join(at.cwd, "mine")))
      })
    ))

  it("a project starts Node with the flags of this repository", () => {
    const root = join(import.meta.dirname, "../../..")
    const base = join(import.meta.dirname, "../templates/base")
    const read = (folder: string, file: string) => readFileSync(join(folder, file), "utf8")
    const flags = read(root, "package.json").match(/--(?:max-semi|heap)[\w-]+=\d+/g) ?? []
    assert.lengthOf(flags, 2)
    for (const flag of flags) {
      assert.include(read(base, "package.json"), flag)
      assert.include(read(base, "Dockerfile"), flag)
    }
  })

  it("files of a project call the tool by npx, which finds the one that the project depends on", () => {
    const templates = join(import.meta.dirname, "../templates")
    for (const file of filesOf(templates).filter((path) => /\.(md|ya?ml|json)$|Dockerfile$/.test(path))) {
      const bare = readFileSync(join(templates, file), "utf8").match(
        /(?<!npx )\bsvc (?:up|down|status|logs|restart)\b/g
      )
      assert.deepStrictEqual(bare ?? [], [], file)
    }
  })

  it("the templates set only settings of the reference", () => {
    const documented = readFileSync(join(import.meta.dirname, "../../../docs/reference/settings.md"), "utf8")
    const templates = join(import.meta.dirname, "../templates")
    const elsewhere = ["NODE_ENV", "MALLOC_ARENA_MAX", "POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB"]
    for (const file of filesOf(templates).filter((path) => /\.env|\.ya?ml$|\.json$|Dockerfile$/.test(path))) {
      const text = readFileSync(join(templates, file), "utf8")
      const set = Array.from(text.matchAll(/\b([A-Z]+(?:_[A-Z]+)+)\b/g), ([name]) => name)
      const unknown = set.filter((name) => !documented.includes(name) && !elsewhere.includes(name))
      assert.deepStrictEqual(unknown.filter((name) => name !== "ON_FAILURE"), [], file)
    }
  })
})
